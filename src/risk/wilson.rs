//! How sure a rate is that was measured on a sample.

/// 97.5% point of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// The 95% interval of the rate of which a sample of `size` shows `hits`.
///
/// The records are taken to be drawn independently; without replacement from a
/// finite file the true interval is narrower. E.B. Wilson, "Probable inference,
/// the law of succession, and statistical inference", JASA 22 (1927),
/// doi:10.1080/01621459.1927.10502953.
///
/// ```
/// let [low, high] = unmask::risk::wilson_interval(361.0, 400);
/// assert_eq!(format!("{low:.4} {high:.4}"), "0.8695 0.9279");
/// ```
pub fn wilson_interval(hits: f64, size: usize) -> [f64; 2] {
    let n = size as f64;
    let rate = hits / n;
    let centre = rate + Z * Z / (2.0 * n);
    let half = Z * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    [((centre - half) / scale).max(0.0), ((centre + half) / scale).min(1.0)]
}
