import type { Provider } from "#server/domain/vocabulary.ts";

/** How a provider rounds the time of one machine: to whole increments, with a minimum. */
export interface BillingTerms {
	incrementMs: number;
	/** A partial increment is either billed in full or not at all. */
	rounding: "up" | "down";
	minimumMs: number;
	/** Source of the rule; null when nothing is rounded because no provider rule is on record here. */
	source: string | null;
}

/** Exact to the millisecond: owned hardware. */
export const UNROUNDED: BillingTerms = { incrementMs: 1, rounding: "up", minimumMs: 0, source: null };

const BY_PROVIDER: Partial<Record<Provider, BillingTerms>> = {
	// Applies to Linux on-demand, reserved and spot, which is all that Spillway launches.
	aws: {
		incrementMs: 1_000,
		rounding: "up",
		minimumMs: 60_000,
		source: "https://aws.amazon.com/about-aws/whats-new/2017/10/announcing-amazon-ec2-per-second-billing/ (2017-10-02)",
	},
	// Microsoft's own example: 6 minutes and 45 seconds are billed as 6 minutes; its description for China says the
	// same.
	azure: {
		incrementMs: 60_000,
		rounding: "down",
		minimumMs: 0,
		source: "https://azure.microsoft.com/en-us/resources/knowledge-center/if-my-virtual-machine-ran-for-6-minutes-and-45/ (undated)",
	},
	// On demand and spot. Not modeled: a spot machine that Google reclaims within its first minute is free.
	gcp: {
		incrementMs: 1_000,
		rounding: "up",
		minimumMs: 60_000,
		source: "https://cloud.google.com/compute/vm-instance-pricing (machine types, one-second increments)",
	},
};

export function billingTermsOf(provider: Provider): BillingTerms {
	return BY_PROVIDER[provider] ?? UNROUNDED;
}

/**
 * The time that would be billed if the machine ended after `elapsedMs`. Never decreases, so the minimum is charged up
 * front with the first interval, and every later interval is the difference of two such values. At every moment the
 * charged amount is exactly what the provider would bill if the machine ended now.
 */
export function billableMs(terms: BillingTerms, elapsedMs: number): number {
	if (elapsedMs <= 0) return 0;
	const whole = terms.rounding === "up" ? Math.ceil : Math.floor;
	return Math.max(terms.minimumMs, whole(elapsedMs / terms.incrementMs) * terms.incrementMs);
}
