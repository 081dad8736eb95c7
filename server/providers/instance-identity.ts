import { z } from "zod";
import type { IdentityChallenge, IdentityDocument } from "#server/agent/identity-document.ts";

/**
 * Whether a machine must present an identity document signed by its provider, in addition to its secret. `required`: a machine
 * without one is rejected. `when_offered`: a document for another machine is rejected, but none is required. `ignored`: documents
 * are not checked.
 */
export const IDENTITY_POLICIES = ["required", "when_offered", "ignored"] as const;
export type IdentityPolicy = (typeof IDENTITY_POLICIES)[number];
export const identityPolicySchema = z.enum(IDENTITY_POLICIES).default("when_offered");

/** What the control plane knows about the machine that a document must name. */
export interface IdentityClaim {
	document: IdentityDocument;
	challenge: IdentityChallenge;
	/** Our id: `ins_…`. */
	instanceId: string;
	/** The provider's id, as reported by the agent. */
	providerInstanceId: string;
	/** Whether the provider itself reported this id; otherwise only the agent did. */
	isKnown: boolean;
	/** The id in the provider's documents if it differs, as reported by the provider; null: not reported yet. */
	signedId: string | null;
	region: string;
	/** The deployment's id, from which names and tags of machines are built. */
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
 * `refused`: the document is invalid, or another machine's. `unverifiable`: it may be valid, but what it is checked with is
 * unavailable; `message` names it.
 */
export type IdentityVerdict =
	| { outcome: "proved" }
	| { outcome: "refused"; fault: IdentityFault; message: string }
	| { outcome: "unverifiable"; message: string };

/** How the documents of one provider are verified, for one of its sites. */
export interface InstanceIdentity {
	/** @param settings of the site, as stored. @throws Error naming each wrong setting */
	policyOf(settings: Record<string, unknown>): IdentityPolicy;
	/**
	 * Never throws for input from a machine.
	 * @throws Error for wrong settings
	 */
	verify(settings: Record<string, unknown>, claim: IdentityClaim): Promise<IdentityVerdict>;
}

export function refused(fault: IdentityFault, message: string): IdentityVerdict {
	return { outcome: "refused", fault, message };
}

/** Allowed clock skew between the provider and us. */
export const CLOCK_TOLERANCE_MS = 5 * 60_000;
