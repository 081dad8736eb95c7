import { z } from "zod";
import type { IdentityChallenge, IdentityDocument } from "#server/agent/identity-document.ts";

/**
 * Whether a machine must show what its provider signed for it, beside its secret. `required`: no machine without one is let in.
 * `when_offered`: one that names another machine keeps it out; none is needed. `ignored`: none is looked at.
 */
export const IDENTITY_POLICIES = ["required", "when_offered", "ignored"] as const;
export type IdentityPolicy = (typeof IDENTITY_POLICIES)[number];
export const identityPolicySchema = z.enum(IDENTITY_POLICIES).default("when_offered");

/** What the control plane knows of the machine that a document must name. */
export interface IdentityClaim {
	document: IdentityDocument;
	challenge: IdentityChallenge;
	/** Ours: `ins_…`. */
	instanceId: string;
	/** The provider's, as the agent says it. */
	providerInstanceId: string;
	/** The provider itself reported this id; otherwise only the agent did. */
	isKnown: boolean;
	/** The id in the provider's documents where it differs, as the provider reported it; null: not reported yet. */
	signedId: string | null;
	region: string;
	/** The deployment's id, which names and tags of machines are made of. */
	controlPlane: string;
	nowMs: number;
}

export type IdentityFault =
	| "malformed"
	| "bad_signature"
	| "expired"
	| "not_yet_valid"
	| "not_fresh"
	| "other_account"
	| "other_region"
	| "other_instance";

/**
 * `refused`: the document is wrong, or somebody else's. `unverifiable`: it may be right, but what it is checked by is not at hand;
 * `message` says what.
 */
export type IdentityVerdict =
	| { outcome: "proved" }
	| { outcome: "refused"; fault: IdentityFault; message: string }
	| { outcome: "unverifiable"; message: string };

/** How the documents of one provider are checked, for a site of it. */
export interface InstanceIdentity {
	/** @param settings of the site, as stored. @throws Error naming each wrong setting */
	policyOf(settings: Record<string, unknown>): IdentityPolicy;
	/** Never throws for what a machine sent. @throws Error for wrong settings */
	verify(settings: Record<string, unknown>, claim: IdentityClaim): Promise<IdentityVerdict>;
}

export function refused(fault: IdentityFault, message: string): IdentityVerdict {
	return { outcome: "refused", fault, message };
}

/** By so much the provider's clock and ours may differ. */
export const CLOCK_TOLERANCE_MS = 5 * 60_000;
