import { z } from "zod";
import { describeClusterDriverContract } from "../contract/cluster-contract.ts";
import type { JobBehaviour, MakeClusterHarness } from "../contract/cluster-harness.ts";
import type { StartAttempt } from "../driver.ts";
import { FakeCluster } from "./fake-cluster.ts";
import type { FakeJob } from "./fake-job.ts";
import { FakeTimers } from "./timers.ts";

const PROGRAM = "fake-job";

const behaviourSchema = z.object({
	print: z.object({ stdout: z.array(z.string()).default([]), stderr: z.array(z.string()).default([]) }).prefault({}),
	end: z.union([z.object({ code: z.number() }), z.object({ signal: z.string() }), z.null()]),
	onTerm: z.union([z.literal("die"), z.literal("ignore"), z.object({ exitCode: z.number() })]).default("die"),
});

/** The fake's only program takes its behavior as an argument. */
function jobOf({ spec }: StartAttempt): FakeJob {
	const [program, argument] = spec.command;
	const idle: FakeJob = {
		stageMs: 5,
		runMs: null,
		exit: { code: 0, signal: null, error: null },
		onTerm: { kind: "die" },
		stdout: [],
		stderr: [],
	};
	if (program !== PROGRAM) {
		return { ...idle, exit: { code: null, signal: null, error: `there is no program ${program}`, failedAt: "start" } };
	}
	const { print, end, onTerm } = behaviourSchema.parse(JSON.parse(argument ?? ""));
	return {
		...idle,
		runMs: end === null ? null : 20,
		exit: { code: null, signal: null, error: null, ...end },
		onTerm: typeof onTerm === "object" ? { kind: "exit", code: onTerm.exitCode, afterMs: 10 } : { kind: onTerm },
		...print,
	};
}

const makeHarness: MakeClusterHarness = async () => {
	const timers = new FakeTimers(1_700_000_000_000);
	const site = { poolId: "gpu", accelerator: "A10G-24GB", slots: 4 };
	const cluster = new FakeCluster({ clock: timers.clock, ...site, jobOf, hasQueue: true, wake: timers.wake });
	return {
		driver: cluster.driver("home"),
		poolId: "gpu",
		accelerator: "A10G-24GB",
		slots: 4,
		command: (behaviour: JobBehaviour) => [PROGRAM, JSON.stringify(behaviour)],
		passTime: async () => timers.advance(5),
		nowMs: () => timers.clock.nowMs(),
		restart: async () => cluster.driver("home"),
		cleanup: async () => {},
		theirs: {
			user: "alice",
			submit: async ({ gpus, runs, optIn }) =>
				cluster.theirs.submit({ gpus, runMs: runs === "long" ? null : 1, optIn: optIn ? "spillway" : null, script: "train.sh" }),
			hold: async (id) => cluster.theirs.act(id, "hold"),
			cancel: async (id) => cluster.theirs.act(id, "cancel"),
			scriptHolds: "train.sh",
			unknownId: "999",
		},
		features: { realProcesses: false, checkpointFolder: false },
	};
};

describeClusterDriverContract("fake", makeHarness, { withQueue: true });
