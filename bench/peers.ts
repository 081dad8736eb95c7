/**
 * Other published systems on the inputs that they ship, next to Spillway's core in a replay:
 * `npm run bench:peers -- [--skynomad DIR] [--told length|estimate|limit] [--json]`.
 * SkyNomad: a job with a deadline on spot in several zones; DIR as bench/samples/skynomad, which is the default (invented data, so
 * it holds none of their figures). docs/simulator.md has the terms.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import type { Policy } from "#server/domain/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import { type RunTimeInput, runSkynomad } from "./lib/peers/skynomad.ts";
import { readPeerInputs } from "./lib/peers/skynomad-inputs.ts";

const { values: args } = parseArgs({
	options: {
		skynomad: { type: "string" },
		told: { type: "string", default: "length" },
		json: { type: "boolean", default: false },
	},
});

function readPolicy(file: string): Policy {
	const { policy, problems } = parsePolicy(readFileSync(file, "utf8"));
	if (policy) return policy;
	throw new SpillwayError("invalid_input", `${file}: ${problems.map((p) => `${p.line}:${p.column} ${p.message}`).join(" ")}`);
}

function readRunTimeInput(told: string): RunTimeInput {
	if (told === "length" || told === "estimate" || told === "limit") return told;
	throw new SpillwayError("invalid_input", `--told ${told} is unknown.`, { fix: "Use length, estimate or limit." });
}

const skynomadDir = args.skynomad ?? path.join(import.meta.dirname, "samples/skynomad");
const policy = readPolicy(path.join(import.meta.dirname, "policies/peers.yaml"));
const skynomad = runSkynomad(readPeerInputs(skynomadDir), policy, readRunTimeInput(args.told));

if (args.json) console.log(JSON.stringify({ skynomad }));
else console.table(skynomad);
