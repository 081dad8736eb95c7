import { z } from "zod";

/** Answers to the four set-up questions, from which the first policy is built. */
export const LEAVE_CHOICES = ["nothing", "experiments", "not_sensitive", "everything"] as const;
export const REGION_CHOICES = ["anywhere", "europe", "united_states"] as const;
export const BURST_CHOICES = ["wait", "deadline", "full"] as const;
export const APPROVER_CHOICES = ["none", "platform", "finance"] as const;

const CAP_USD_MAX = 100_000_000;
const WAIT_MINUTES_MAX = 7 * 24 * 60;

export const firstPolicyInput = z.strictObject({
	/** Which jobs may leave the company's own cluster. */
	leave: z.enum(LEAVE_CHOICES),
	/** Where they may go. */
	regions: z.enum(REGION_CHOICES).default("anywhere"),
	/** Cap on cloud spend in a calendar month, whole US dollars. Unused when nothing may leave. */
	monthlyCapUsd: z.int().min(1).max(CAP_USD_MAX),
	/** When a job may leave: after a forecast wait, for a deadline, or whenever home is full. */
	burst: z.enum(BURST_CHOICES),
	/** For `wait`: forecast wait at home after which a job may leave. */
	waitMinutes: z.int().min(1).max(WAIT_MINUTES_MAX).default(30),
	/** Role that approves jobs before they leave. */
	approver: z.enum(APPROVER_CHOICES),
	/** Jobs above this cost need approval, whole US dollars; 0: every job that leaves. */
	approvalAboveUsd: z.int().min(0).max(CAP_USD_MAX).default(0),
});
export type FirstPolicy = z.output<typeof firstPolicyInput>;

/** The policy document for these answers, as readable and editable text. */
export function buildFirstPolicy(answers: FirstPolicy): string {
	const rules = [...leaveRules(answers), ...(answers.leave === "nothing" ? [] : cloudRules(answers))];
	return `# Built from the set-up's four questions. Edit it under Policies; docs/policy.md explains every field.
apiVersion: spillway/v1
kind: Policy
metadata: { name: default }
spec:
  rules:
${rules.join("\n")}
${answers.leave === "nothing" ? "" : budget(answers.monthlyCapUsd)}`;
}

function budget(capUsd: number): string {
	return `  budgets:
    # All cloud money of a calendar month. At the cap, jobs wait at home.
    - { id: cloud-month, scope: "true", period: month, capUsd: ${capUsd}, atCap: hold }
`;
}

function leaveRules({ leave }: FirstPolicy): string[] {
	if (leave === "nothing") return [rule("No job leaves the company's own cluster.", "stay-home", "deny: { sites: [cloud] }")];
	if (leave === "not_sensitive")
		return [rule("Jobs on sensitive data stay at home.", "sensitive-stays-home", "deny: { sites: [cloud] }", 'job.class == "sensitive"')];
	if (leave === "everything") return [];
	const others = 'job.class != "experimental" && job.class != "batch_inference"';
	return [rule("Only experiments and batch inference may leave.", "only-experiments-leave", "deny: { sites: [cloud] }", others)];
}

const REGIONS = {
	europe: '["aws:eu-*", "azure:*europe", "azure:francecentral", "azure:germanywestcentral", "azure:swedencentral", "gcp:europe-*"]',
	united_states: '["aws:us-*", "azure:*us", "azure:*us2", "azure:*us3", "gcp:us-*"]',
};

function cloudRules(answers: FirstPolicy): string[] {
	const { regions, burst, waitMinutes, approver, approvalAboveUsd } = answers;
	const triggers = {
		wait: rule(
			"A job may leave when it would wait too long at home.",
			"burst-on-wait",
			`burst: { after: { forecastWait: ${waitMinutes}m } }`,
		),
		deadline: rule(
			"A job may leave when its deadline is at risk at home.",
			"burst-for-deadline",
			"burst: { after: { deadlineSlack: 2h } }",
		),
		full: rule("A job may leave whenever home is full.", "burst-when-full", "burst: { always: true }"),
	};
	const approval = approvalAboveUsd > 0 ? `quote.costUsd > ${approvalAboveUsd}.0` : undefined;
	return [
		...(regions === "anywhere" ? [] : [rule("Where jobs may go.", "regions", `allow: { regions: ${REGIONS[regions]} }`)]),
		triggers[burst],
		...(approver === "none" ? [] : [rule("A person approves first.", "approval", `require: { approval: ${approver} }`, approval)]),
	];
}

function rule(comment: string, id: string, effect: string, when?: string): string {
	return [`    # ${comment}`, `    - id: ${id}`, ...(when ? [`      when: '${when}'`] : []), `      ${effect}`].join("\n");
}
