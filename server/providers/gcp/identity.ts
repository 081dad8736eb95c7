import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from "jose";
import { z } from "zod";
import { emulatorAt } from "../cloud-endpoint.ts";
import {
	CLOCK_TOLERANCE_MS,
	type IdentityClaim,
	type IdentityFault,
	type IdentityVerdict,
	type InstanceIdentity,
	refused,
} from "../instance-identity.ts";
import { machineName, regionOfZone } from "./names.ts";
import { gcpSettingsSchema } from "./settings.ts";

/** Where Google publishes its token keys, and its issuer name (cloud.google.com, "Verifying VM identity"). */
const GOOGLE = { keys: "https://www.googleapis.com/oauth2/v3/certs", issuer: "https://accounts.google.com" };
const KEYS_TIMEOUT_MS = 5_000;

const settingsSchema = gcpSettingsSchema.omit({ controlPlane: true, credentials: true });

/** The claims of `format=full` that identify the machine. */
const claimsSchema = z.object({
	google: z.object({
		compute_engine: z.object({ project_id: z.string(), zone: z.string(), instance_id: z.string(), instance_name: z.string() }),
	}),
});

/**
 * Verifies Google's tokens with the keys that it publishes; an emulated endpoint publishes its own.
 * @param endpoint as for the site's kind
 */
export function gcpIdentity(endpoint: string | undefined): InstanceIdentity {
	const keySets = new Map<string, JWTVerifyGetKey>();
	const keysAt = (address: string): JWTVerifyGetKey => {
		const known = keySets.get(address) ?? createRemoteJWKSet(new URL(address), { timeoutDuration: KEYS_TIMEOUT_MS });
		keySets.set(address, known);
		return known;
	};
	const parse = (settings: Record<string, unknown>) => settingsSchema.parse({ ...settings, ...(endpoint ? { endpoint } : {}) });
	return {
		policyOf: (settings) => parse(settings).instanceIdentity,
		async verify(settings, claim) {
			const site = parse(settings);
			const emulator = emulatorAt(site.endpoint);
			return verifyToken(claim, site.project, keysAt(emulator === null ? GOOGLE.keys : `${emulator}/oauth2/v3/certs`));
		},
	};
}

async function verifyToken(claim: IdentityClaim, project: string, keys: JWTVerifyGetKey): Promise<IdentityVerdict> {
	if (claim.document.kind !== "gcp") return refused("malformed", "it is not a Google identity document");
	try {
		const { payload } = await jwtVerify(claim.document.token, asKeys(keys), {
			issuer: GOOGLE.issuer,
			audience: claim.challenge.audience,
			algorithms: ["RS256"],
			requiredClaims: ["exp", "iat"],
			currentDate: new Date(claim.nowMs),
			clockTolerance: CLOCK_TOLERANCE_MS / 1_000,
		});
		if ((payload.iat ?? 0) * 1_000 > claim.nowMs + CLOCK_TOLERANCE_MS) return refused("not_yet_valid", "its signing time is in the future");
		const claims = claimsSchema.safeParse(payload);
		if (!claims.success) return refused("malformed", "it contains no Compute Engine instance");
		return compare(claims.data.google.compute_engine, claim, project);
	} catch (error) {
		if (error instanceof KeysNotAtHand) return { outcome: "unverifiable", message: error.message };
		return refused(faultOf(error), error instanceof Error ? error.message : String(error));
	}
}

function compare(
	machine: z.infer<typeof claimsSchema>["google"]["compute_engine"],
	{ instanceId, providerInstanceId, region, controlPlane }: IdentityClaim,
	project: string,
): IdentityVerdict {
	if (machine.project_id !== project) return refused("other_account", `it is for project ${machine.project_id}, not ${project}`);
	if (regionOfZone(machine.zone) !== region) return refused("other_region", `it is for zone ${machine.zone}, which is not in ${region}`);
	const shown = `${machine.zone}/${machine.instance_id}`;
	if (shown !== providerInstanceId) return refused("other_instance", `it is for instance ${shown}, not ${providerInstanceId}`);
	const name = machineName(controlPlane, instanceId);
	if (machine.instance_name !== name) return refused("other_instance", `it is for instance ${machine.instance_name}, not ${name}`);
	return { outcome: "proved" };
}

class KeysNotAtHand extends Error {}

/** Distinguishes unavailable keys from a token that none of them signed. */
function asKeys(keys: JWTVerifyGetKey): JWTVerifyGetKey {
	return async (header, token) => {
		try {
			return await keys(header, token);
		} catch (error) {
			if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
			throw new KeysNotAtHand(`could not get Google's keys: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
		}
	};
}

function faultOf(error: unknown): IdentityFault {
	if (error instanceof errors.JWTExpired) return "expired";
	if (error instanceof errors.JWTClaimValidationFailed) {
		if (error.claim === "aud") return "not_fresh";
		return error.claim === "nbf" ? "not_yet_valid" : "malformed";
	}
	const isForged =
		error instanceof errors.JWSSignatureVerificationFailed ||
		error instanceof errors.JWKSNoMatchingKey ||
		error instanceof errors.JWKSMultipleMatchingKeys ||
		error instanceof errors.JOSEAlgNotAllowed;
	return isForged ? "bad_signature" : "malformed";
}
