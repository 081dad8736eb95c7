import type { Policy } from "#server/domain/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";

/** A policy that options are replayed under, with its text so that `spillway simulate` can use the same one. */
export interface PlanPolicy {
	id: string;
	label: string;
	text: string;
	policy: Policy;
}

/** Same value of an hour of waiting in each: an assumption, since an hour of a person's day is worth more. */
const DELAY_USD_PER_HOUR = 5;

/** Sooner or later: the difference between the shipped policies. */
const SHIPPED = [
	{ id: "cautious", label: "Burst after 4 h", burst: "{ after: { forecastWait: 4h }, or: { deadlineSlack: 1h } }" },
	{ id: "balanced", label: "Burst after 30 min", burst: "{ after: { forecastWait: 30m }, or: { deadlineSlack: 1h } }" },
	{ id: "eager", label: "Burst at once", burst: "{ always: true }" },
] as const;

export function shippedPolicies(): PlanPolicy[] {
	return SHIPPED.map(({ id, label, burst }) => {
		const text = `# ${label} of expected wait; the cheapest machine, spot included.
apiVersion: spillway/v1
kind: Policy
metadata: { name: ${id} }
spec:
  rules:
    - id: burst
      burst: ${burst}
    - id: instance-life
      limit: { instanceHours: 720 }
  weights: { delayUsdPerHour: ${DELAY_USD_PER_HOUR}, carbonUsdPerTonne: 0 }
`;
		return readPlanPolicy(id, label, text);
	});
}

/** Owned GPUs only: without a burst rule no job leaves home. */
export function homeOnly(): PlanPolicy {
	return readPlanPolicy(
		"home",
		"Own GPUs only",
		`# Without a burst rule no job leaves home.
apiVersion: spillway/v1
kind: Policy
metadata: { name: home-only }
spec:
  rules: []
  weights: { delayUsdPerHour: ${DELAY_USD_PER_HOUR}, carbonUsdPerTonne: 0 }
`,
	);
}

/** @throws SpillwayError `invalid_input` with line and column. */
export function readPlanPolicy(id: string, label: string, text: string): PlanPolicy {
	const { policy, problems } = parsePolicy(text);
	if (policy) return { id, label, text, policy };
	const [first] = problems;
	throw new SpillwayError("invalid_input", `Policy ${id}, line ${first?.line ?? 1}: ${first?.message ?? "it cannot be read"}`, {
		fix: first?.fix ?? "Check it with: spillway policy lint FILE",
	});
}
