import { describe, expect, it } from "vitest";
import { adoptionRules, canAdopt } from "./judge-adoption.ts";
import { aJob, policyOf, rulesText } from "./testing/builders.ts";

const JOB = { siteId: "cluster", partition: "gpu-a", user: "alice", optedIn: true };
const named = (adopt: string, changes: Partial<typeof JOB> = {}) =>
	adoptionRules(policyOf(rulesText(`{ id: take, adopt: { team: research${adopt} } }`)), { ...JOB, ...changes }).length > 0;

describe("a rule adopts a cluster's job", () => {
	it.each([
		["of any place and owner when it names none", "", {}, true],
		["only when its owner opted in", "", { optedIn: false }, false],
		["without opt-in when the rule allows it", ", optIn: not-needed", { optedIn: false }, true],
		["of a partition that it names, by pattern", ", partitions: ['gpu-*']", {}, true],
		["of no other partition", ", partitions: ['gpu-*']", { partition: "debug" }, false],
		["in several partitions where it names all of them", ", partitions: ['gpu-*']", { partition: "gpu-a,gpu-b" }, true],
		["not in several when it names only one", ", partitions: ['gpu-*']", { partition: "gpu-a,debug" }, false],
		["of an owner that it names", ", users: ['ali*']", {}, true],
		["of no other owner", ", users: ['bob']", {}, false],
		["of a site that it names", ", sites: [cluster]", {}, true],
		["of no other site", ", sites: [elsewhere]", {}, false],
	])("%s", (_what, adopt, changes, expected) => {
		expect(named(adopt, changes)).toBe(expected);
	});

	it("in the policy's order, if its own condition holds for the converted script", () => {
		const policy = policyOf(rulesText("{ id: small, when: job.gpus < 2, adopt: { team: a } }", "{ id: any, adopt: { team: b } }"));
		const rules = adoptionRules(policy, JOB);
		expect(rules.map(({ rule }) => rule.id)).toEqual(["small", "any"]);
		const big = aJob({ resources: { gpus: 8, accelerators: [], cpus: null, memoryGiB: null } });
		expect(rules.map(({ rule }) => canAdopt(rule, big))).toEqual([false, true]);
		expect(rules.map(({ rule }) => canAdopt(rule, aJob()))).toEqual([true, true]);
	});
});
