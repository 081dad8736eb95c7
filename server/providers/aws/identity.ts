import { X509Certificate } from "node:crypto";
import { z } from "zod";
import { emulatorAt } from "../cloud-endpoint.ts";
import { type IdentityClaim, type IdentityVerdict, type InstanceIdentity, refused } from "../instance-identity.ts";
import { readSignedMessage, verdictOf } from "../signed-message.ts";
import { AWS_IDENTITY_CERTIFICATES } from "./identity-certificates.ts";
import { awsSettingsSchema } from "./settings.ts";

const KEYS_TIMEOUT_MS = 5_000;
const settingsSchema = awsSettingsSchema.omit({ controlPlane: true, credentials: true });
type Site = z.output<typeof settingsSchema>;

/** The fields of the instance identity document that identify the machine. */
const documentSchema = z.object({ accountId: z.string(), region: z.string(), instanceId: z.string() });

/**
 * Verifies Amazon's instance identity documents with the certificate that Amazon publishes for the region; an emulated endpoint
 * publishes its own. A document has no nonce and never expires: it identifies the machine, and the bootstrap secret proves that
 * the request is current.
 * @param endpoint as for the site's kind
 */
export function awsIdentity(endpoint: string | undefined): InstanceIdentity {
	const parse = (settings: Record<string, unknown>) => settingsSchema.parse({ ...settings, ...(endpoint ? { endpoint } : {}) });
	return {
		policyOf: (settings) => parse(settings).instanceIdentity,
		async verify(settings, claim) {
			const site = parse(settings);
			const certificate = await certificateFor(site, claim.region);
			return typeof certificate === "string" ? { outcome: "unverifiable", message: certificate } : verifyDocument(claim, site, certificate);
		},
	};
}

async function verifyDocument(claim: IdentityClaim, site: Site, certificate: X509Certificate): Promise<IdentityVerdict> {
	if (claim.document.kind !== "aws") return refused("malformed", "it is not an AWS identity document");
	try {
		const message = readSignedMessage(claim.document.pkcs7);
		await message.signedBy([certificate]);
		const document = documentSchema.safeParse(JSON.parse(message.content.toString("utf8")));
		return document.success ? compare(document.data, claim, site) : refused("malformed", "it contains no instance id");
	} catch (error) {
		return verdictOf(error);
	}
}

function compare(
	machine: z.infer<typeof documentSchema>,
	{ region, providerInstanceId, isKnown }: IdentityClaim,
	{ accountId }: Site,
): IdentityVerdict {
	if (accountId !== undefined && machine.accountId !== accountId)
		return refused("other_account", `it is for account ${machine.accountId}, not ${accountId}`);
	if (machine.region !== region) return refused("other_region", `it is for region ${machine.region}, not ${region}`);
	if (machine.instanceId !== providerInstanceId)
		return refused("other_instance", `it is for instance ${machine.instanceId}, not ${providerInstanceId}`);
	if (isKnown || accountId !== undefined) return { outcome: "proved" };
	return {
		outcome: "unverifiable",
		message: "AWS has not reported this instance's id yet, and the site's settings have no accountId to compare the document with",
	};
}

/** Returns the certificate, or why there is none. */
async function certificateFor(site: Site, region: string): Promise<X509Certificate | string> {
	const emulator = emulatorAt(site.endpoint);
	const given = site.identityCertificates[region];
	try {
		if (emulator !== null) return new X509Certificate(await read(`${emulator}/instance-identity/certificate`));
		const text = given ?? AWS_IDENTITY_CERTIFICATES[region];
		if (text === undefined) return `AWS's certificate for ${region} is unknown; add it to identityCertificates in the site's settings`;
		return new X509Certificate(text);
	} catch (error) {
		return `the certificate for ${region} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
	}
}

async function read(address: string): Promise<string> {
	const answer = await fetch(address, { signal: AbortSignal.timeout(KEYS_TIMEOUT_MS) });
	if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
	return answer.text();
}
