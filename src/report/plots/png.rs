//! A plot as an image, for slides and for tools that show no SVG.

use crate::error::{Error, Result};
use png::{BitDepth, ColorType, Compression, Encoder};
use resvg::tiny_skia::{Color, Pixmap, PremultipliedColorU8, Transform};
use resvg::usvg::{Options, Tree, fontdb::Database};
use std::sync::{Arc, OnceLock};

/// The one font of all images, so that they look alike on every machine.
const FONT: &[u8] = include_bytes!("font/DejaVuSans.ttf");

/// Pixels per unit of the SVG.
const SCALE: f32 = 2.0;

/// `svg` drawn on white as PNG, two pixels per unit.
pub fn png(svg: &str) -> Result<Vec<u8>> {
    let options =
        Options { fontdb: fonts(), font_family: "DejaVu Sans".into(), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(failed)?;
    let size = tree.size().to_int_size().scale_by(SCALE).unwrap_or(tree.size().to_int_size());
    let pixels = Pixmap::new(size.width(), size.height());
    let mut pixels = pixels.ok_or_else(|| failed("the image has no size"))?;
    pixels.fill(Color::WHITE);
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    encoded(&pixels)
}

/// The file of opaque pixels.
///
/// The fast compression is of the encoder itself; others come from a library that gives other
/// bytes when some other dependency asks for another backend of it.
fn encoded(pixels: &Pixmap) -> Result<Vec<u8>> {
    let colors = |pixel: &PremultipliedColorU8| [pixel.red(), pixel.green(), pixel.blue()];
    let bytes: Vec<u8> = pixels.pixels().iter().flat_map(colors).collect();
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, pixels.width(), pixels.height());
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Fast);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&bytes).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(file)
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::Internal(format!("drawing a plot: {error}"))
}

fn fonts() -> Arc<Database> {
    static FONTS: OnceLock<Arc<Database>> = OnceLock::new();
    let load = || {
        let mut fonts = Database::new();
        fonts.load_font_data(FONT.to_vec());
        fonts.set_sans_serif_family("DejaVu Sans");
        Arc::new(fonts)
    };
    FONTS.get_or_init(load).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_shapes_are_drawn_in_their_colors() {
        let svg = r##"<svg xmlns="http://www.w3.org/2000/svg" width="60" height="20">
            <rect x="0" y="0" width="10" height="20" fill="#0072b2"/>
            <text x="20" y="15" font-family="sans-serif" font-size="14">M</text></svg>"##;
        let image = Pixmap::decode_png(&png(svg).unwrap()).unwrap();
        assert_eq!((image.width(), image.height()), (120, 40));
        let color = |x, y| {
            let pixel = image.pixel(x, y).unwrap();
            (pixel.red(), pixel.green(), pixel.blue())
        };
        assert_eq!(color(10, 20), (0, 114, 178));
        assert_eq!(color(110, 20), (255, 255, 255));
        let dark = |x| (0..40).any(|y| color(x, y).0 < 100);
        assert!((40..64).any(dark), "the letter is missing");
    }
}
