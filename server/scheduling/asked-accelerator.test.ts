import { describe, expect, it } from "vitest";
import { sentenceOf } from "#server/domain/sentences.ts";
import { decide } from "./decide.ts";
import { aJob, anOffer, aPolicy, aPool, aSnapshot } from "./testing/builders.ts";
import type { Snapshot } from "./types.ts";

/** The outcome for a job that requests these accelerators, and its sentence. */
function asking(accelerators: string[], part: Partial<Snapshot> = {}): [string, string] {
	const job = aJob("j")
		.accelerators(...accelerators)
		.build();
	const { actions, waiting } = decide(aSnapshot({ offers: [anOffer({ accelerator: "H100-80GB" })], ...part, pending: [job] }));
	const [action] = actions;
	const why = action?.reason ?? waiting.get(job.jobId);
	return [action?.kind ?? "waits", why ? sentenceOf(why) : ""];
}

describe("a job that requests an accelerator that exists nowhere", () => {
	it("fails with the available accelerators when it requests a TPU and there are only GPUs", () => {
		expect(asking(["TPU-v5e"])).toEqual([
			"fail",
			"No place can ever run this job. At home: none has TPU-v5e. In the cloud: none has TPU-v5e. Known accelerators: A10G-24GB, H100-80GB.",
		]);
	});

	it("fails with the nearest name on a typo", () => {
		const [kind, sentence] = asking(["H100-80G"]);
		expect(kind).toBe("fail");
		expect(sentence).toMatch(/The closest known name: H100-80GB\.$/);
	});

	it("waits until the providers' offers are read, and says so", () => {
		const [kind, sentence] = asking(["TPU-v5e"], { offers: [] });
		expect(kind).toBe("waits");
		expect(sentence).toContain("none were read from the providers yet");
	});

	it("waits for a first site when there is none", () => {
		const waits = ["waits", "Waiting: no site is set up; add one under Settings › Sites."];
		expect(asking(["TPU-v5e"], { pools: [], offers: [], noSites: true })).toEqual(waits);
		expect(asking([], { pools: [], offers: [], noSites: true, policy: aPolicy() })).toEqual(waits);
	});

	it("goes to the cloud that has it by name, rather than to a cheaper GPU there or free GPUs at home", () => {
		const tpu = anOffer({ instanceType: "ct5lp-hightpu-1t", accelerator: "TPU-v5e", usd: "9" });
		const gpu = anOffer({ usd: "0.10" });
		const job = aJob("j").accelerators("TPU-v5e").build();
		const [action] = decide(aSnapshot({ pools: [aPool()], offers: [gpu, tpu], pending: [job] })).actions;
		expect(action).toMatchObject({ kind: "launch", offer: { id: tpu.id } });
	});
});
