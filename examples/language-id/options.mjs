// Options of the training: flags first, then Spillway's environment, then defaults.
import { parseArgs } from "node:util";

export const USAGE = `usage: node train.mjs [--epochs 12] [--seed 7] [--batch 32] [--checkpoint-every 100|5s] [--step-delay-ms 0]
                      [--log-every 20] [--checkpoint-dir ./checkpoints]`;

class UsageError extends Error {}

function whole(name, text, least, most) {
	const value = Number(text);
	if (!/^\d+$/.test(text) || value < least || value > most) {
		throw new UsageError(`--${name} is "${text}"; it must be a whole number from ${least} to ${most}`);
	}
	return value;
}

/** "100": every 100 steps. "5s": 5 seconds after the last one. */
function interval(text) {
	const seconds = /^(\d+(?:\.\d+)?)s$/.exec(text);
	if (seconds) return { steps: Number.POSITIVE_INFINITY, ms: Number(seconds[1]) * 1000 };
	return { steps: whole("checkpoint-every", text, 1, 1e9), ms: Number.POSITIVE_INFINITY };
}

/** @throws Error with a sentence for the person who typed it. */
export function readOptions(args, env) {
	const string = (value) => ({ type: "string", default: value });
	const { values } = parseArgs({
		args,
		options: {
			epochs: string("12"),
			seed: string("7"),
			batch: string("32"),
			"checkpoint-every": string("100"),
			"step-delay-ms": string("0"),
			"log-every": string("20"),
			"checkpoint-dir": string(env.SPILLWAY_CHECKPOINT_DIR || "./checkpoints"),
		},
	});
	return {
		epochs: whole("epochs", values.epochs, 1, 10_000),
		seed: whole("seed", values.seed, 0, 4294967295),
		batch: whole("batch", values.batch, 1, 4096),
		checkpointEvery: interval(values["checkpoint-every"]),
		stepDelayMs: whole("step-delay-ms", values["step-delay-ms"], 0, 60_000),
		logEvery: whole("log-every", values["log-every"], 1, 1e9),
		checkpointDir: values["checkpoint-dir"],
	};
}
