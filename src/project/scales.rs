//! Labels whose order everybody knows.

/// Each from low to high, in lower case, with spaces between words.
const SCALES: &[&[&str]] = &[
    &[
        "none",
        "primary",
        "lower secondary",
        "upper secondary",
        "post secondary",
        "short cycle tertiary",
        "bachelor",
        "master",
        "doctorate",
    ],
    &["none", "primary", "secondary", "tertiary"],
    &[
        "preschool",
        "1st 4th",
        "5th 6th",
        "7th 8th",
        "9th",
        "10th",
        "11th",
        "12th",
        "hs grad",
        "some college",
        "assoc voc",
        "assoc acdm",
        "bachelors",
        "masters",
        "prof school",
        "doctorate",
    ],
    &["very low", "low", "medium", "high", "very high"],
    &["low", "middle", "high"],
    &["low", "moderate", "high"],
    &["none", "mild", "moderate", "severe"],
    &["xs", "s", "m", "l", "xl", "xxl"],
    &["very small", "small", "medium", "large", "very large"],
    &["very poor", "poor", "fair", "good", "very good", "excellent"],
    &["very bad", "bad", "fair", "good", "very good"],
    &["never", "rarely", "sometimes", "often", "always"],
    &["strongly disagree", "disagree", "neutral", "agree", "strongly agree"],
    &["very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"],
    &["sehr unzufrieden", "unzufrieden", "teils teils", "zufrieden", "sehr zufrieden"],
    &["sehr unzufrieden", "eher unzufrieden", "neutral", "eher zufrieden", "sehr zufrieden"],
    &["sehr unzufrieden", "unzufrieden", "neutral", "zufrieden", "sehr zufrieden"],
    &[
        "trifft gar nicht zu",
        "trifft eher nicht zu",
        "teils teils",
        "trifft eher zu",
        "trifft voll zu",
    ],
    &[
        "trifft überhaupt nicht zu",
        "trifft eher nicht zu",
        "teils teils",
        "trifft eher zu",
        "trifft voll und ganz zu",
    ],
    &["stimme gar nicht zu", "stimme eher nicht zu", "neutral", "stimme eher zu", "stimme voll zu"],
    &["sehr schlecht", "schlecht", "mittelmäßig", "gut", "sehr gut"],
    &["nie", "selten", "manchmal", "oft", "immer"],
    &["niedrig", "mittel", "hoch"],
    &["sehr niedrig", "niedrig", "mittel", "hoch", "sehr hoch"],
    &["jamais", "rarement", "parfois", "souvent", "toujours"],
    &["nunca", "raramente", "a veces", "a menudo", "siempre"],
];

/// `labels` from low to high, where one scale has all of them, and there are at least three.
pub(super) fn order(labels: &[String]) -> Option<Vec<String>> {
    let place = |scale: &[&str], label: &String| {
        let plain = label.trim().to_lowercase().replace(['-', '_', '/'], " ");
        scale.iter().position(|level| *level == plain)
    };
    let places =
        |scale: &&[&str]| labels.iter().map(|l| place(scale, l)).collect::<Option<Vec<_>>>();
    let places = SCALES.iter().find_map(places).filter(|_| labels.len() >= 3)?;
    let mut ordered: Vec<(usize, &String)> = places.into_iter().zip(labels).collect();
    ordered.sort_unstable();
    let differ = ordered.windows(2).all(|pair| pair[0].0 != pair[1].0);
    differ.then(|| ordered.into_iter().map(|(_, label)| label.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn only_labels_that_one_scale_has_are_ordered() {
        let labels = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(order(&labels("High,low,medium")), Some(labels("low,medium,High")));
        assert_eq!(order(&labels("low,medium,high,unknown")), None);
        assert_eq!(order(&labels("low,Low,high")), None);
        assert_eq!(order(&labels("S,M")), None);
        let answers = "trifft gar nicht zu,teils/teils,Trifft voll zu";
        assert_eq!(
            order(&labels("Trifft voll zu,trifft gar nicht zu,teils/teils")),
            Some(labels(answers))
        );
    }
}
