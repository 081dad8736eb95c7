import { describe, expect, it } from "vitest";
import { parseJobDocument } from "#server/domain/job-file.ts";
import { parsePipelineDocument } from "#server/domain/pipeline/pipeline-file.ts";
import { parseTriggerDocument } from "#server/domain/trigger/trigger-file.ts";
import { seededRandom } from "#server/kernel/random.ts";
import { COMPANY_FAMILIES } from "./families.ts";
import { PUBLISHING, RETRAINING } from "./retraining.ts";
import { drawNextJob, pauseMs } from "./traffic.ts";

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

	it("submits a valid pipeline, and a trigger that follows it", () => {
		expect(parsePipelineDocument(RETRAINING, { checkCondition: () => [] }).steps.map(({ name }) => name)).toEqual([
			"prepare",
			"train",
			"compare",
		]);
		expect(parseTriggerDocument(PUBLISHING)).toMatchObject({ team: RETRAINING.metadata.team });
	});
});
