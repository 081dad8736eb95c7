import type { Look } from "./check-steps.ts";

/** Whether machines of a gang in one network reach each other on all ports. `maybe`: a rule's addresses may include theirs. */
export type Reach = "yes" | "maybe" | "no";

/** The network of one location: what was checked, and what it allows; null: the account may not look. */
export interface NetworkLook {
	/** Display name: "sg-1 in us-east-1". */
	name: string;
	reach: Reach | null;
}

/** Describes the networks of a site's regions. `right`: the permission that an account needs to read them. */
export function describeReach(looks: readonly NetworkLook[], right: string): Awaited<ReturnType<Look>> {
	const named = (reach: Reach | null): string =>
		looks
			.filter((look) => look.reach === reach)
			.map(({ name }) => name)
			.join("; ");
	const no = named("no");
	if (no !== "")
		return {
			failed: `Instances cannot reach each other: ${no}. Multi-node jobs would wait until they time out, and cost money.`,
		};
	const unseen = named(null);
	if (unseen !== "")
		return {
			unknown: `The account has no permission to check whether instances reach each other: ${unseen}.`,
			fix: `Allow ${right} so that Spillway can check it before a launch.`,
		};
	const maybe = named("maybe");
	if (maybe !== "")
		return {
			unknown: `Instances reach each other if a rule includes their addresses: ${maybe}.`,
			fix: "Compare the rule's addresses with those of the subnets.",
		};
	return `Instances reach each other on all ports: ${named("yes")}.`;
}

/** The best result of several rules that each allow something. */
export function anyReach(reaches: readonly Reach[]): Reach {
	return reaches.includes("yes") ? "yes" : reaches.includes("maybe") ? "maybe" : "no";
}

/** Whether an address range includes everyone, or only some machines. */
export function reachOfRange(cidr: string): Reach {
	return cidr === "0.0.0.0/0" || cidr === "*" ? "yes" : "maybe";
}
