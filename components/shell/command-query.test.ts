import { describe, expect, it } from "vitest";
import { answerQuery, jobAskedAbout, rankHits } from "./command-query.ts";

const NOW = Date.UTC(2026, 10, 23);
const TEAMS = ["research", "genomics"];
const answer = (text: string) => answerQuery(text, TEAMS, NOW).map(({ label, href }) => [label, href]);

describe("answerQuery", () => {
	it.each([
		["research spend", "Spend: research", "/spend?team=research"],
		["spend", "Spend", "/spend"],
		["research spend october", "Spend: research, October 2026", "/spend?from=2026-10-01&to=2026-10-31&team=research"],
		["cost dec", "Spend: December 2025", "/spend?from=2025-12-01&to=2025-12-31"],
		["failed this week in genomics", "Failed this week: genomics", "/jobs?view=failed&team=genomics"],
		["queued genomics", "Queued jobs: genomics", "/jobs?state=queued&team=genomics"],
	])("%s", (text, label, href) => expect(answer(text)).toEqual([[label, href]]));

	it("has no answer for a job name", () => expect(answer("esm-fold")).toEqual([]));
});

describe("jobAskedAbout", () => {
	it("is the job in a why question", () => {
		expect(jobAskedAbout("why is ux-9 waiting")).toBe("ux-9");
		expect(jobAskedAbout("ux-9")).toBeNull();
		expect(answer("why is ux-9 waiting")).toEqual([]);
	});
});

describe("rankHits", () => {
	const hits = ["Dark theme", "esm-fold", "run-esm", "My resume", "ESM"].map((label) => ({ label }));
	it("puts exact and prefix matches first and drops the rest", () =>
		expect(rankHits(hits, "esm").map((h) => h.label)).toEqual(["ESM", "esm-fold", "run-esm"]));
	it("needs every word", () => expect(rankHits(hits, "theme dark").map((h) => h.label)).toEqual(["Dark theme"]));
});
