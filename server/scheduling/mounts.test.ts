import { describe, expect, it } from "vitest";
import { removalSentenceOf } from "#server/domain/removal-sentences.ts";
import { sentenceOf } from "#server/domain/sentences.ts";
import { defined } from "#server/kernel/assert.ts";
import { decide } from "./decide.ts";
import { aJob, anOffer, aPool, aSnapshot } from "./testing/builders.ts";
import type { DecideMemo, PendingJob, Snapshot } from "./types.ts";

const cheap = anOffer({ region: "us-east-1", usd: "1.00" });
const expensive = anOffer({ id: "gcp:x", siteId: "gcp", provider: "gcp", region: "europe-west4", usd: "2.00" });

function withMounts(...mounts: string[]): PendingJob {
	const job = aJob().build();
	return { ...job, spec: { ...job.spec, mounts } };
}

function decided(job: PendingJob, mounts: Record<string, string[]>, memo?: DecideMemo) {
	const snapshot: Snapshot = aSnapshot({
		...{ offers: [cheap, expensive], pending: [job], pools: [aPool()] },
		...(Object.keys(mounts).length > 0 && { mounts: new Map(Object.entries(mounts)) }),
	});
	const plan = decide(snapshot, { explain: new Set([job.jobId]), ...(memo && { memo }) });
	const explanation = defined(plan.explanations[0], "explanation");
	const shown = [...explanation.candidates, ...explanation.removed.map(({ cheapest }) => cheapest)];
	const sentences = shown.map(({ removedBy }) => removedBy && removalSentenceOf(removedBy));
	return { explanation, sentences, chosen: explanation.candidates.find((c) => c.outcome === "chosen")?.placement.siteId ?? null };
}

describe("jobs that request mounts", () => {
	it("run at home when home has them", () => {
		expect(decided(withMounts("imagenet"), { home: ["imagenet"], gcp: ["imagenet"] }).chosen).toBe("home");
	});

	it("leave for the site that has them, although another one is cheaper", () => {
		const { chosen, sentences } = decided(withMounts("imagenet", "scratch"), { aws: ["imagenet"], gcp: ["scratch", "imagenet"] });
		expect(chosen).toBe("gcp");
		expect(sentences).toEqual(expect.arrayContaining(["Site home has no mount imagenet.", "Site aws has no mount scratch."]));
	});

	it("fail with the known names when no site has them", () => {
		const { explanation } = decided(withMounts("imagnet"), { gcp: ["imagenet"] });
		expect(explanation.outcome).toBe("fail");
		expect(sentenceOf(explanation.reason)).toMatch(/no site that could run it has the mounts imagnet; known: imagenet/);
		expect(sentenceOf(decided(withMounts("imagnet"), {}).explanation.reason)).toMatch(/no site that could run it has the mounts imagnet/);
	});

	it("are decided again when a site's mounts change, with a memo as without one", () => {
		const memo: DecideMemo = { kept: new Map() };
		const job = withMounts("imagenet");
		for (const mounts of [{ gcp: ["imagenet"] }, { aws: ["imagenet"] }, { aws: ["imagenet"] }, { home: ["imagenet"] }] as const) {
			const copy = Object.fromEntries(Object.entries(mounts).map(([id, names]) => [id, [...names]]));
			expect(decided(job, copy, memo)).toEqual(decided(job, copy));
			expect(decided(job, copy, memo).chosen).toBe(Object.keys(mounts)[0]);
		}
	});

	it("change nothing for jobs without mounts", () => {
		const job = aJob().build();
		expect(decided(job, { gcp: ["imagenet"] })).toEqual(decided(job, {}));
	});
});
