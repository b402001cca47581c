#!/usr/bin/env bash
# Information loss of MDAV on the three reference files beside the literature's.
# usage: experiments/mdav/information-loss.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
cd "$(dirname "$0")/../.."
out=results/mdav/information-loss
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

eia=UTILITYID,RESREVENUE,RESSALES,COMREVENUE,COMSALES,INDREVENUE,INDSALES,OTHREVENUE,OTHRSALES,TOTREVENUE,TOTSALES
{
    echo "# MDAV: information loss (SSE/SST in percent, z-scored)"
    echo
    echo "Made by \`make reproduce\`: \`unmask protect FILE --method mdav --k K\`, all attributes in one group,"
    echo "clustered on z-scores; EIA on UTILITYID and the ten revenue and sales columns."
    echo
    echo "| data | k | ours | published | difference |"
    echo "|---|---|---|---|---|"
} >"$work/table.md"
echo "data,k,ours,published,difference" >"$work/table.csv"
tail -n +2 experiments/mdav/published.csv | while IFS=, read -r data _ k published; do
    attributes=()
    [ "$data" = eia ] && attributes=(--attributes "$eia")
    ours=$("$program" protect "$data" --method mdav --k "$k" "${attributes[@]}" --force \
        --format json -o "$work/release.csv" | sed -n 's/.*"il_percent": \([0-9.e-]*\).*/\1/p')
    difference=$(LC_ALL=C awk -v a="$ours" -v b="$published" 'BEGIN { printf "%+.4f", a - b }')
    ours=$(LC_ALL=C printf '%.4f' "$ours")
    echo "| $data | $k | $ours | $published | $difference |" >>"$work/table.md"
    echo "$data,$k,$ours,$published,$difference" >>"$work/table.csv"
done
mv "$work/table.md" "$work/table.csv" "$out/"
cat "$out/table.md"
