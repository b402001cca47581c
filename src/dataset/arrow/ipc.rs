//! Arrow IPC files (also called Feather, version 2), in and out.

use super::arrays::batch;
use super::columns::Columns;
use crate::dataset::allowance::{allowed, check_cells, too_large};
use crate::dataset::file::ReadOptions;
use crate::dataset::{Dataset, check_columns};
use crate::error::{Error, Result};
use crate::panics::caught;
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::writer::FileWriter;
use arrow_ipc::{Block, Footer, RecordBatch, root_as_footer, root_as_message};
use std::fmt::Display;
use std::sync::Arc;

/// The first bytes of every file.
const MAGIC: &[u8] = b"ARROW1";
/// The last ones: the length of the footer, and the magic once more.
const TAIL: usize = 10;

/// The data set in `bytes`, called `file` in errors.
///
/// A file that claims far more than so many bytes can hold is refused, and so is one at which the
/// library that reads Arrow panics.
pub fn read(file: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Dataset> {
    if !bytes.starts_with(MAGIC) {
        let problem = "not an Arrow IPC file (streams and Feather of version 1 are not read); write \
                       it with pyarrow.feather.write_feather";
        return Err(Error::input(file, problem));
    }
    let damaged = || broken(file, &"it is damaged; get a fresh copy");
    caught(|| read_columns(file, bytes, options)).unwrap_or_else(|| Err(damaged()))
}

fn broken(file: &str, problem: &dyn Display) -> Error {
    Error::input(file, format!("not a readable Arrow file: {problem}"))
}

fn read_columns(file: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Dataset> {
    let whole = Buffer::from(bytes);
    let footer = footer(&whole).ok_or_else(|| broken(file, &"its footer is damaged"))?;
    let schema = footer.schema().ok_or_else(|| broken(file, &"it has no schema"))?;
    let schema = Arc::new(fb_to_schema(schema));
    check_columns(file, schema.fields().len())?;
    let dictionaries: Vec<Block> = footer.dictionaries().iter().flatten().copied().collect();
    let batches: Vec<Block> = footer.recordBatches().iter().flatten().copied().collect();
    let mut claims = Claims::default();
    for block in dictionaries.iter().chain(&batches) {
        let claimed = claims.add(&whole, block);
        claimed.ok_or_else(|| broken(file, &"a block of it is damaged"))?;
    }
    claims.check(schema.fields().len(), whole.len()).map_err(|e| broken(file, &e))?;
    let mut decoder = FileDecoder::new(schema.clone(), footer.version());
    let slice = |block: &Block| {
        block_of(&whole, block).ok_or_else(|| broken(file, &"a block of it is damaged"))
    };
    for block in &dictionaries {
        decoder.read_dictionary(block, &slice(block)?).map_err(|e| broken(file, &e))?;
    }
    let mut columns = Columns::new(file, &schema, options)?;
    for block in &batches {
        let batch = decoder.read_record_batch(block, &slice(block)?);
        if let Some(batch) = batch.map_err(|e| broken(file, &e))? {
            columns.add(&batch)?;
        }
    }
    columns.finish()
}

fn footer(whole: &Buffer) -> Option<Footer<'_>> {
    let tail = whole.len().checked_sub(TAIL)?;
    let length = read_footer_length(whole[tail..].try_into().ok()?).ok()?;
    root_as_footer(&whole[tail.checked_sub(length)?..tail]).ok()
}

/// The bytes of `block`: what describes it, and what it holds.
fn block_of(whole: &Buffer, block: &Block) -> Option<Buffer> {
    let start = usize::try_from(block.offset()).ok()?;
    let about = usize::try_from(block.metaDataLength()).ok()?;
    let length = about.checked_add(usize::try_from(block.bodyLength()).ok()?)?;
    let fits = start.checked_add(length)? <= whole.len();
    fits.then(|| whole.slice_with_length(start, length))
}

/// What the blocks of a file claim to hold.
#[derive(Default)]
struct Claims {
    records: u64,
    unpacked: u64,
}

impl Claims {
    /// Adds what `block` claims; `None` where it is damaged.
    fn add(&mut self, whole: &Buffer, block: &Block) -> Option<()> {
        let bytes = block_of(whole, block)?;
        let about = bytes.get(..block.metaDataLength() as usize)?;
        // Files of today begin a block with a mark, those of before 2019 with the length alone.
        let start = if about.starts_with(&[0xff; 4]) { 8 } else { 4 };
        let message = root_as_message(about.get(start..)?).ok()?;
        let batch = match message.header_as_dictionary_batch() {
            Some(dictionary) => dictionary.data()?,
            None => message.header_as_record_batch()?,
        };
        let records = u64::try_from(batch.length()).ok()?;
        self.records = self.records.saturating_add(records);
        self.unpacked = self.unpacked.saturating_add(unpacked(&batch, &bytes[about.len()..])?);
        Some(())
    }

    fn check(&self, columns: usize, bytes: usize) -> std::result::Result<(), String> {
        check_cells(self.records, columns as u64, bytes)?;
        match self.unpacked > allowed(bytes) {
            true => Err(too_large(&format!("{} bytes in {bytes} bytes", self.unpacked))),
            false => Ok(()),
        }
    }
}

/// So many bytes the buffers of `batch` claim to hold when they are decompressed.
fn unpacked(batch: &RecordBatch<'_>, body: &[u8]) -> Option<u64> {
    if batch.compression().is_none() {
        return Some(0);
    }
    let buffers = batch.buffers()?;
    let claim = |buffer: &arrow_ipc::Buffer| {
        if buffer.length() == 0 {
            return Some(0);
        }
        let start = usize::try_from(buffer.offset()).ok()?;
        let length = body.get(start..)?.first_chunk::<8>()?;
        // Below 0: what follows is not compressed.
        Some(u64::try_from(i64::from_le_bytes(*length)).unwrap_or(0))
    };
    buffers.iter().try_fold(0u64, |sum, buffer| Some(sum.saturating_add(claim(buffer)?)))
}

/// Writes `dataset` as one Arrow IPC file without compression.
pub fn write(dataset: &Dataset, out: &mut Vec<u8>) -> Result<()> {
    let failed = |e: &dyn Display| Error::Internal(format!("writing Arrow: {e}"));
    let batch = batch(dataset).map_err(|e| failed(&e))?;
    let mut writer = FileWriter::try_new(out, &batch.schema()).map_err(|e| failed(&e))?;
    writer.write(&batch).map_err(|e| failed(&e))?;
    writer.finish().map_err(|e| failed(&e))
}
