//! A headless Chromium for tests of pages.

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Names under which Chromium is installed.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Longest time a page may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// An installed Chromium.
pub struct Browser(PathBuf);

/// Runs before the page's own scripts: notes errors and refused requests.
const WATCH: &str = r#"<script>
window.noted = [];
window.addEventListener("error", function (e) { noted.push("error: " + (e.message || e.target.outerHTML)); }, true);
window.addEventListener("unhandledrejection", function (e) { noted.push("rejection: " + e.reason); });
document.addEventListener("securitypolicyviolation", function (e) { noted.push("refused: " + e.blockedURI); });
["error", "warn"].forEach(function (level) {
  console[level] = function () { noted.push(level + ": " + Array.from(arguments).join(" ")); };
});
</script>"#;

impl Browser {
    /// The browser; none, with a line on standard error, when there is none.
    ///
    /// Fails where continuous integration should have installed one.
    pub fn find(test: &str) -> Option<Self> {
        let folders: Vec<PathBuf> =
            std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
        let found = NAMES
            .iter()
            .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
            .find(|path| path.is_file());
        if found.is_none() {
            let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
            assert!(!is_ci, "{test}: no Chromium found, but CI=true: .ci/browser should have it");
            // Past the capture of the test harness: a test that does not run must be seen.
            let line = format!(
                "LEFT OUT: {test}: no Chromium found; install it with: apt-get install -y chromium\n"
            );
            let _ = std::io::stderr().write_all(line.as_bytes());
        }
        found.map(Self)
    }

    /// Opens `page` in a frame of `width` and gives what `ask`, the body of a
    /// function, returns once it is loaded; `noted` is added to it: errors, warnings
    /// and refused requests.
    pub fn ask(&self, page: &Path, width: u32, ask: &str) -> Value {
        let text = std::fs::read_to_string(page).expect("the page is there");
        let probe = format!(
            r#"<script>window.addEventListener("load", function () {{
  var answer = (function () {{ {ask} }})();
  answer.noted = noted;
  answer.requests = performance.getEntriesByType("resource").map(function (r) {{ return r.name; }});
  answer.width = document.documentElement.clientWidth;
  answer.scroll_width = document.documentElement.scrollWidth;
  parent.postMessage(JSON.stringify(answer), "*");
}});</script>"#
        );
        let watched = text.replacen("<title>", &format!("{WATCH}<title>"), 1);
        let watched = watched.replacen("</body>", &format!("{probe}</body>"), 1);
        let copy = page.with_extension("probe.html");
        std::fs::write(&copy, watched).expect("the folder is writable");
        // A window of Chromium has a least width; a frame has not.
        let frame = format!(
            r#"<!doctype html><html><script>
window.addEventListener("message", function (e) {{
  document.documentElement.setAttribute("data-answer", encodeURIComponent(e.data));
}});</script><iframe src="{}" style="border:0;width:{width}px;height:844px"></iframe></html>"#,
            copy.file_name().unwrap_or_default().to_string_lossy()
        );
        let outer = page.with_extension("frame.html");
        std::fs::write(&outer, frame).expect("the folder is writable");
        let dom = self.run(&outer, &["--hide-scrollbars", "--dump-dom"]);
        let answer = dom.split("data-answer=\"").nth(1).and_then(|rest| rest.split('"').next());
        let answer = answer.unwrap_or_else(|| panic!("no answer from {}: {dom}", page.display()));
        serde_json::from_str(&decoded(answer)).expect("JSON")
    }

    /// Takes a picture of `page`.
    pub fn picture(&self, page: &Path, width: u32, height: u32, dark: bool, to: &Path) {
        let picture = format!("--screenshot={}", to.display());
        let size = format!("--window-size={width},{height}");
        let scheme = format!("--blink-settings=preferredColorScheme={}", u8::from(!dark));
        self.run(page, &[&picture, &size, &scheme, "--hide-scrollbars"]);
        assert!(to.metadata().is_ok_and(|m| m.len() > 10_000), "{}", to.display());
    }

    /// Runs Chromium on `page`; gives its standard output.
    fn run(&self, page: &Path, arguments: &[&str]) -> String {
        let profile = tempfile::tempdir().expect("a folder for the profile");
        let output = profile.path().join("output");
        let mut child = Command::new(&self.0)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            .args(["--no-first-run", "--disable-background-networking"])
            .arg(format!("--user-data-dir={}", profile.path().join("profile").display()))
            .args(arguments)
            .arg(format!("file://{}", page.display()))
            .stdout(std::fs::File::create(&output).expect("a file"))
            .stderr(Stdio::null())
            .spawn()
            .expect("Chromium starts");
        let started = Instant::now();
        while child.try_wait().expect("a child").is_none() {
            if started.elapsed() > PATIENCE {
                let _ = child.kill();
                panic!("Chromium did not end on {}", page.display());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        String::from_utf8_lossy(&std::fs::read(&output).expect("its output")).into_owned()
    }
}

/// Undoes `encodeURIComponent`.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let code = code.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (first, code) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).expect("UTF-8")
}
