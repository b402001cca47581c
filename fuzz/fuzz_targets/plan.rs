//! Plans of fingerprints: one that is read deals patterns without panicking, and can be written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unmask::fingerprint::{ClusterChoice, Leak, Plan};
use unmask_fuzz::{PEOPLE, data};

fuzz_target!(|text: &str| {
    let Ok(mut plan) = Plan::from_toml(text, "plan.toml") else { return };
    let written = plan.to_toml().expect("what was read can be written");
    let again = Plan::from_toml(&written, "plan.toml").expect("what was written can be read");
    assert_eq!(again.to_toml().expect("it was written before"), written);
    let people = data(PEOPLE);
    let recipients = ["graz".to_owned(), "tokyo".to_owned()];
    if plan.check_file(&people).is_ok()
        && plan.assign(&recipients, &ClusterChoice::default()).is_ok()
    {
        for assignment in plan.assignments.clone() {
            let _ = plan.without_dropped(&people).and_then(|kept| plan.release(&kept, &assignment));
        }
    }
    if let Ok(leak) = Leak::read(&people, &plan.hierarchies) {
        let quasi = plan.quasi();
        leak.parts.iter().for_each(|part| drop(part.identify(&plan.assignments, &quasi)));
    }
});
