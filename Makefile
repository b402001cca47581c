# Every verb does its own set-up: a bare Debian machine needs only cargo and make.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup setup-milp build demo test test-formats check bench fuzz reproduce man clean

# ccache, where it is installed, keeps the objects of HiGHS for every profile and
# clone. Looked up when a recipe runs, that is, after `setup`.
CCACHE = $(if $(shell command -v ccache),CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=/ CCACHE_NOHASHDIR=1)
CARGO = $(CCACHE) cargo
# What the demo needs: no HiGHS to compile, no Parquet; the dependencies and the search are
# optimized, the rest is compiled fast.
LIGHT = --config profile.dev.package.unmask.opt-level=0 --no-default-features --features cli,data
UNMASK = cargo run --quiet $(LIGHT) --
SEVEN = AFNLWGT,AGI,EMCONTRB,FEDTAX,PTOTVAL,STATETAX,TAXINC
DEMO = $(or $(CARGO_TARGET_DIR),target)/demo

# Licenses, bans and sources of the dependencies (deny.toml), without a network.
HOST = $$(rustc -vV | sed -n 's/^host: //p')
DENY = if cargo deny --version >/dev/null 2>&1; \
	then cargo deny --offline --target "$(HOST)" check --hide-inclusion-graph licenses bans sources; \
	else echo 'Left out, since cargo-deny is not installed: licenses, bans and sources of the dependencies.'; fi

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## look for a C compiler and make, and install what is missing
	@.ci/setup

setup-milp: ## the same, and cmake and libclang, which HiGHS needs
	@.ci/setup milp

build: setup-milp ## compile the optimized program to target/release/unmask
	$(CARGO) build --release

demo: setup ## protect a built-in file, show what it lost, audit it, and run a small experiment
	@cargo build $(LIGHT)
	@mkdir -p $(DEMO)
	@echo; echo '$$ unmask data'; $(UNMASK) data
	@echo; echo '$$ unmask protect mdav census --k 5 -o census-k5.csv'
	@$(UNMASK) protect mdav census --k 5 -o $(DEMO)/census-k5.csv --force
	@echo; echo '$$ unmask utility census census-k5.csv'
	@$(UNMASK) utility census $(DEMO)/census-k5.csv
	@echo; echo '$$ unmask protect noise census --p 16 --seed 1 -o noisy.csv'
	@$(UNMASK) protect noise census --p 16 --seed 1 -o $(DEMO)/noisy.csv --force
	@echo; echo '$$ unmask audit --original census --released noisy.csv --attributes $(SEVEN) --sample 400'
	@$(UNMASK) audit --original census --released $(DEMO)/noisy.csv --attributes $(SEVEN) --sample 400
	@echo; echo '$$ unmask experiment run experiments/demo/noise.toml'
	@$(UNMASK) experiment run experiments/demo/noise.toml --results $(DEMO) --fresh
	@sed -n '/^## /,$$p' $(DEMO)/demo/noise/table.md
	@echo; echo 'This was the program without the MILP solver HiGHS and without Parquet files;'
	@echo '`make build` compiles it with both (about ten minutes more, once).'

test: setup-milp ## run all tests
	$(CARGO) test --workspace

test-formats: setup-milp ## write the files of all formats anew with Python, and let Python read what unmask writes
	$(CARGO) test --test all -- --ignored file_formats_python

check: setup-milp ## formatting, lints and documentation, with all features, with milp alone and with none
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) clippy --package unmask --lib --no-default-features -- -D warnings
	$(CARGO) clippy --package unmask --lib --no-default-features --features milp -- -D warnings
	$(CARGO) clippy --package unmask --bins $(LIGHT) -- -D warnings
	cargo check --quiet --manifest-path fuzz/Cargo.toml --target-dir $(FUZZ_FOLDER)
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --workspace --no-deps --document-private-items
	@$(DENY)

bench: setup-milp ## measure speed; tables go to results/bench
	$(CARGO) bench --workspace

FUZZ_TARGETS = csv parquet formats project experiment hierarchy plan journal certificate
FUZZ_SECONDS = 60
FUZZ_RUNS = -1
FUZZ_FOLDER = $(abspath $(or $(CARGO_TARGET_DIR),target))/fuzz

fuzz: setup-milp ## feed mutated files to everything that reads files: FUZZ_SECONDS=60, FUZZ_RUNS=1000000, FUZZ_TARGETS="csv plan"
	RUSTC_WRAPPER=$(CURDIR)/fuzz/instrumented cargo build --manifest-path fuzz/Cargo.toml \
		--target-dir $(FUZZ_FOLDER) $(addprefix --bin=fuzz-,$(FUZZ_TARGETS))
	@for target in $(FUZZ_TARGETS); do \
		found=$(FUZZ_FOLDER)/$$target; mkdir -p $$found/corpus; echo "fuzz: $$target"; \
		$(FUZZ_FOLDER)/debug/fuzz-$$target $$found/corpus $(CURDIR)/fuzz/corpus/$$target \
			-max_total_time=$(FUZZ_SECONDS) -runs=$(FUZZ_RUNS) -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
			-artifact_prefix=$$found/ || exit; \
	done

reproduce: setup-milp ## regenerate the published numbers under results/ (forty minutes on two cores)
	$(CARGO) build --release
	"$(or $(CARGO_TARGET_DIR),target)/release/unmask" reproduce

man: setup ## write the man pages to target/man
	$(UNMASK) man --out $(or $(CARGO_TARGET_DIR),target)/man

clean: ## remove everything that was compiled
	cargo clean
