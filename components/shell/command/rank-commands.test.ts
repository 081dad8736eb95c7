import { describe, expect, it } from "vitest";
import { permissionsOf } from "#server/domain/custom-role.ts";
import { type FoundEntity, matchesWords, searchWords } from "#server/domain/search.ts";
import type { Role } from "#server/domain/vocabulary.ts";
import { buildSearch, parseQuery } from "./parse-query.ts";
import { rankCommands } from "./rank-commands.ts";

const NOW = Date.UTC(2026, 10, 26);

function entity(kind: FoundEntity["kind"], id: string, name: string, detail: string, more: Partial<FoundEntity> = {}): FoundEntity {
	return { kind, id, name, detail, href: `/${kind}/${id}`, live: true, actions: [], ...more };
}

/** A company with one of each, and names that compete. */
const COMPANY: readonly FoundEntity[] = [
	entity("job", "job_1", "esm-fold-118", "running, genomics", { href: "/jobs/job_1", actions: ["cancel"] }),
	entity("job", "job_2", "esm-fold-117", "succeeded, genomics", { href: "/jobs/job_2", live: false }),
	entity("job", "job_3", "ux-9", "queued, research", { href: "/jobs/job_3", actions: ["cancel"] }),
	entity("job", "job_4", "theme-classifier", "failed, vision", { href: "/jobs/job_4", live: false }),
	entity("job", "job_5", "research-probe", "running, research", { href: "/jobs/job_5" }),
	entity("job", "job_6", "darknet-3", "running, vision", { href: "/jobs/job_6" }),
	entity("approval", "appr_1", "lm-pretrain-9", "foundation, 24 GPUs, asks finance", {
		href: "/approvals?approval=appr_1",
		actions: ["approve"],
	}),
	entity("approval", "appr_2", "lm-pretrain-8", "foundation, 24 GPUs, asks platform", { href: "/approvals?approval=appr_2" }),
	entity("pipeline", "pipe_1", "nightly-asr", "pipeline, running, speech", { href: "/pipelines/pipe_1" }),
	entity("trigger", "trig_1", "asr-at-two", "speech"),
	entity("team", "genomics", "genomics", "team spend", { href: "/spend?team=genomics" }),
	entity("team", "research", "research", "team spend", { href: "/spend?team=research" }),
	entity("person", "usr_1", "Dana Data", "Data scientist, scientist@demo.spillway"),
	entity("policy", "default/3", "Policy version 3", "Raise the cap"),
	entity("rule", "sensitive-stays-home", "sensitive-stays-home", 'job.class == "sensitive"', {
		href: "/policies#rule-sensitive-stays-home",
	}),
	entity("budget", "research-month", "research-month", 'job.team == "research", per month', { href: "/budgets?budget=research-month" }),
	entity("site", "hall-b", "Hall B", "kubernetes"),
	entity("machine", "i-0f3", "i-0f3", "p5.48xlarge in us-east-1, ready, esm-fold-118", { href: "/sites#machines" }),
	entity("machine", "hall-b/gpu-01", "gpu-01", "node of Hall B, ready", { href: "/sites#nodes-hall-b" }),
	entity("month", "2026-10", "October 2026", "statement", { href: "/statements/2026-10", live: false }),
	entity("doc", "budgets", "Budgets and alerts", "documentation", { href: "/docs/budgets" }),
	entity("doc", "spot", "Spot with a guarantee", "documentation", { href: "/docs/spot" }),
	entity("doc", "carbon", "Carbon", "documentation", { href: "/docs/carbon" }),
];

/** The server's response: every word occurs in the entity. */
function found(text: string): FoundEntity[] {
	const search = buildSearch(parseQuery(text));
	if (search === null) return [];
	return COMPANY.filter(
		(e) =>
			(!search.kind || search.kind.includes(e.kind)) &&
			(!search.live || e.live) &&
			matchesWords(`${e.name} ${e.id} ${e.detail}`, searchWords(search.q)),
	);
}

const rank = (text: string, role: Role = "platform") =>
	rankCommands(text, { permissions: permissionsOf({ role }), teams: ["genomics", "research"], nowMs: NOW, entities: found(text) });
const firstOf = (text: string) => {
	const { label, act } = rank(text)[0] ?? { label: null, act: null };
	return [label, act?.kind === "open" ? act.href : act?.kind];
};

describe("rankCommands", () => {
	it.each([
		["esm", "esm-fold-118", "/jobs/job_1"],
		["esm-fold-117", "esm-fold-117", "/jobs/job_2"],
		["job_3", "ux-9", "/jobs/job_3"],
		["why is ux-9 waiting", "Why is ux-9 queued?", "/jobs/job_3/decision"],
		["logs esm-fold-118", "Logs of esm-fold-118", "/jobs/job_1/logs"],
		["receipt of esm-fold-117", "Receipt of esm-fold-117", "/jobs/job_2/cost"],
		["clone ux-9", "Clone ux-9", "/jobs/new?from=job_3"],
		["cancel esm", "Cancel esm-fold-118", "cancel"],
		["approve", "Approve lm-pretrain-9", "approve"],
		["approve lm-pretrain", "Approve lm-pretrain-9", "approve"],
		["research spend", "Spend: research", "/spend?team=research"],
		["research spend october", "Spend: research, October 2026", "/spend?from=2026-10-01&to=2026-10-31&team=research"],
		["spend last month", "Spend: October 2026", "/spend?from=2026-10-01&to=2026-10-31"],
		["cost dec", "Spend: December 2025", "/spend?from=2025-12-01&to=2025-12-31"],
		["failed this week in genomics", "Failed this week: genomics", "/jobs?view=failed&team=genomics"],
		["queued", "Queued jobs", "/jobs?state=queued"],
		["running in research", "Running jobs: research", "/jobs?state=running&team=research"],
		["genomics", "genomics", "/spend?team=genomics"],
		["dana", "Dana Data", "/person/usr_1"],
		["sensitive", "sensitive-stays-home", "/policies#rule-sensitive-stays-home"],
		["research-month", "research-month", "/budgets?budget=research-month"],
		["hall b", "Hall B", "/site/hall-b"],
		["gpu-01", "gpu-01", "/sites#nodes-hall-b"],
		["p5.48xlarge", "i-0f3", "/sites#machines"],
		["october", "October 2026", "/statements/2026-10"],
		["nightly", "nightly-asr", "/pipelines/pipe_1"],
		["version 3", "Policy version 3", "/policy/default/3"],
		["guarantee", "Spot with a guarantee", "/docs/spot"],
		["spend", "Spend", "/spend"],
		["budg", "Budgets", "/budgets"],
		["carbon", "Carbon", "/carbon"],
		["new job", "New job", "/jobs/new"],
		["theme", "theme-classifier", "/jobs/job_4"],
		["dark", "darknet-3", "/jobs/job_6"],
		["dark theme", "Dark theme", "theme"],
	])("%s → %s", (text, label, act) => expect(firstOf(text)).toEqual([label, act]));

	it("offers jobs before everything else and settings last", () => {
		expect(rank("esm").map((c) => c.id)).toEqual(["job-job_1", "job-job_2", "machine-i-0f3"]);
		expect(rank("s").at(-1)?.id).not.toMatch(/^job/);
		expect(rank("theme").map((c) => c.id)).toEqual(["job-job_4", "theme-light", "theme-dark", "theme-system"]);
	});

	it("cancels only what the person may cancel, and opens what they cannot approve", () => {
		expect(rank("cancel research-probe")).toEqual([]);
		expect(rank("approve lm-pretrain-8")[0]?.act).toEqual({ kind: "open", href: "/approvals?approval=appr_2" });
	});

	it("drops entities of an earlier query that do not match the present one", () => {
		const context = { permissions: [], teams: [], nowMs: NOW, entities: COMPANY, stale: true };
		expect(rankCommands("esm-fold-11", context).map((c) => c.id)).toEqual(["job-job_1", "job-job_2", "machine-i-0f3"]);
	});

	it("shows the screens of the role without a query", () => {
		expect(rank("")[0]).toMatchObject({ id: "overview", keys: ["g", "o"] });
		expect(rank("plan", "data_scientist").map((c) => c.id)).not.toContain("plan");
	});
});

describe("buildSearch", () => {
	it("queries only what the verb needs, and nothing for a single letter", () => {
		expect(buildSearch(parseQuery("approve"))).toEqual({ q: "", kind: ["approval"] });
		expect(buildSearch(parseQuery("cancel x"))).toEqual({ q: "x", kind: ["job"], live: true });
		expect(buildSearch(parseQuery("e"))).toBeNull();
	});
});
