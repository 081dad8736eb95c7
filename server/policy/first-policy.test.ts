import { describe, expect, it } from "vitest";
import {
	APPROVER_CHOICES,
	BURST_CHOICES,
	buildFirstPolicy,
	firstPolicyInput,
	LEAVE_CHOICES,
	REGION_CHOICES,
} from "#server/domain/first-policy.ts";
import { parsePolicy } from "./parse-policy.ts";

const combinations = LEAVE_CHOICES.flatMap((leave) =>
	REGION_CHOICES.flatMap((regions) =>
		BURST_CHOICES.flatMap((burst) =>
			APPROVER_CHOICES.flatMap((approver) => [0, 250].map((approvalAboveUsd) => ({ leave, regions, burst, approver, approvalAboveUsd }))),
		),
	),
);

describe("the first policy", () => {
	it("has no errors and no warnings for any answers", () => {
		expect(combinations).toHaveLength(216);
		for (const answers of combinations) {
			const source = buildFirstPolicy(firstPolicyInput.parse({ ...answers, monthlyCapUsd: 5000 }));
			const { policy, problems } = parsePolicy(source);
			expect(problems, `${JSON.stringify(answers)}\n${source}`).toEqual([]);
			expect(policy?.budgets).toMatchObject(answers.leave === "nothing" ? [] : [{ id: "cloud-month" }]);
		}
	});

	it("reflects the answers", () => {
		const answers = { leave: "not_sensitive", regions: "europe", monthlyCapUsd: 1200, burst: "wait", waitMinutes: 45, approver: "finance" };
		const source = buildFirstPolicy(firstPolicyInput.parse({ ...answers, approvalAboveUsd: 300 }));
		for (const part of [
			'job.class == "sensitive"',
			'"aws:eu-*"',
			"capUsd: 1200",
			"forecastWait: 45m",
			"approval: finance",
			"quote.costUsd > 300.0",
		])
			expect(source).toContain(part);
	});
});
