import { describe, expect, it } from "vitest";
import { calledAs, canReadArguments } from "./script-arguments.ts";

describe("the arguments of a batch script", () => {
	it.each([
		["22.05.8", "/home/al/train.sh 0.1 ten epochs", "", "/home/al/train.sh", "0.1 ten epochs"],
		["22.05.8", "/home/al/train.sh", "", "/home/al/train.sh", ""],
		["23.02.1", "/home/al/train.sh", "", "/home/al/train.sh", null],
		[null, "/home/al/train.sh", "", "/home/al/train.sh", null],
		["24.11.5", "/home/al/my runs/train.sh", "", "/home/al/my runs/train.sh", null],
		["26.05.5", "/home/al/train.sh", "sbatch --comment=spillway train.sh 0.1 ten epochs", "/home/al/train.sh", "0.1 ten epochs"],
		["26.05.5", "/home/al/train.sh", "sbatch ./train.sh", "/home/al/train.sh", ""],
		["26.05.5", "/home/al/train.sh", "sbatch -J train.sh train.sh", "/home/al/train.sh", null],
		["26.05.5", "/home/al/train.sh", "sbatch other", "/home/al/train.sh", null],
		["26.05.5", "", "sbatch --wrap python train.py", "", ""],
	])("of %s are parsed from %j and %j", (release, command, submitLine, file, line) => {
		expect(calledAs({ command, submitLine }, release)).toEqual({ file, line });
	});

	it.each([
		["#!/bin/bash\n#SBATCH --gres=gpu:1\npython train.py --lr 0.1\n", false],
		[`#! /usr/bin/env bash\necho \${#steps[@]} \${steps[@]} $HOME $? $$\n`, false],
		['#!/bin/bash\npython train.py --lr "$1"\n', true],
		[`#!/bin/bash -l\nset -e\npython train.py \${2:-0.1}\n`, true],
		["#!/bin/bash\nfor rate; do train $rate; done\n", true],
		["#!/bin/bash\nfor rate\ndo train $rate; done\n", true],
		["#!/bin/bash\nfor rate in 1 2; do train $rate; done\n", false],
		[`#!/bin/bash\ni=1; echo \${!i}\n`, true],
		["#!/bin/bash\ncat >run.conf <<END\n# run $1\nEND\n", true],
		['#!/bin/sh\nfor rate in "$@"; do train $rate; done\n', true],
		["#!/bin/sh\n[ $# = 1 ] && train\n", true],
		["#!/bin/bash\nwhile getopts r: o; do :; done\n", true],
		["#!/usr/bin/env python3\nimport sys\n", true],
		["", true],
	])("may be read by %j: %s", (script, reads) => {
		expect(canReadArguments(script)).toBe(reads);
	});
});
