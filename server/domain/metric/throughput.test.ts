import { expect, it } from "vitest";
import { isThroughput } from "./throughput.ts";

it.each(["samples/s", "it/s", "step/s", "train/tokens_per_sec", "train_samples_per_second", "images/sec", "perf.throughput", "Throughput"])(
	"reads %s as the speed of training",
	(name) => expect(isThroughput(name)).toBe(true),
);

it.each(["loss", "s/it", "eval_samples_per_second", "val/throughput", "mb/s", "steps", "learning_rate/s", "throughput_total"])(
	"does not read %s as the speed of training",
	(name) => expect(isThroughput(name)).toBe(false),
);
