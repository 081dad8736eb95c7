import { describe, expect, it } from "vitest";
import { parseJobDocument } from "#server/domain/job-file.ts";
import { parsePipelineDocument } from "#server/domain/pipeline/pipeline-file.ts";
import { parseTriggerDocument } from "#server/domain/trigger/trigger-file.ts";
import { seededRandom } from "#server/kernel/random.ts";
import { COMPANY_BATCHES, FOLDING } from "./batches.ts";
import { COMPANY_FAMILIES } from "./families.ts";
import { HALLS } from "./halls.ts";
import { PUBLISHING, RETRAINING } from "./retraining.ts";
import { drawBatch, drawNextJob, pauseMs } from "./traffic.ts";

const AT = (hour: number) => Date.UTC(2026, 10, 24, hour);

describe("the demo's traffic", () => {
	it("is a few jobs a minute by day and fewer by night", () => {
		const random = seededRandom(1);
		const perHour = (hour: number) => {
			const pauses = Array.from({ length: 2_000 }, () => pauseMs(random, AT(hour)));
			return 3_600_000 / (pauses.reduce((sum, ms) => sum + ms, 0) / pauses.length);
		};
		expect(perHour(9)).toBeGreaterThan(150);
		expect(perHour(9)).toBeLessThan(300);
		expect(perHour(3)).toBeLessThan(40);
	});

	it("submits valid job files that sleep for minutes", () => {
		const random = seededRandom(2);
		for (let i = 0; i < 200; i++) {
			const document = drawNextJob(random, COMPANY_FAMILIES, AT(9));
			expect(parseJobDocument(document).team).toBe(document.metadata.team);
			expect(JSON.stringify(document)).toMatch(/sleep \d{2,3};/);
		}
	});

	it("submits batches at every hour that do not fit on the owned GPUs", () => {
		const random = seededRandom(3);
		for (const batch of COMPANY_BATCHES) {
			const jobs = drawBatch(random, batch, AT(3)).map((document) => parseJobDocument(document));
			expect(new Set(jobs.map(({ name }) => name)).size).toBe(batch.jobs);
			const gpus = jobs.reduce((sum, { resources }) => sum + resources.gpus, 0);
			const owned = HALLS.filter(({ accelerator }) => batch.family.accelerators.includes(accelerator));
			expect(gpus).toBeGreaterThan(owned.reduce((sum, hall) => sum + hall.nodes * hall.gpusPerNode, 0));
		}
	});

	it("leaves the slots of this host to the example", () => {
		const ofThisHost = "L40S-48GB";
		expect(COMPANY_BATCHES.flatMap(({ family }) => family.accelerators)).not.toContain(ofThisHost);
	});

	it("gives a batch that waits at home a deadline, so that the rest of it bursts", () => {
		const random = seededRandom(4);
		const [job] = drawBatch(random, FOLDING, AT(3)).map((document) => parseJobDocument(document));
		expect(job?.deadlineMs).toBe(AT(3) + 40 * 60_000);
		const slackMs = 40 * 60_000 - FOLDING.lengthMs;
		// burst-on-wait allows a burst below one hour of slack.
		expect(slackMs).toBeLessThan(3_600_000);
	});

	it("submits a valid pipeline, and a trigger that follows it", () => {
		expect(parsePipelineDocument(RETRAINING, { checkCondition: () => [] }).steps.map(({ name }) => name)).toEqual([
			"prepare",
			"train",
			"compare",
		]);
		expect(parseTriggerDocument(PUBLISHING)).toMatchObject({ team: RETRAINING.metadata.team });
	});
});
