import type { X509Certificate } from "node:crypto";
import { z } from "zod";
import { emulatorAt } from "../cloud-endpoint.ts";
import { CLOCK_TOLERANCE_MS, type IdentityClaim, type IdentityVerdict, type InstanceIdentity, refused } from "../instance-identity.ts";
import { readSignedMessage, verdictOf } from "../signed-message.ts";
import { emulatorTrust, Issuers, publicTrust, type Trust, verifyChain } from "./identity-chain.ts";
import { azureSettingsSchema } from "./settings.ts";

/**
 * The domains of the certificates that sign attested documents, in the clouds that Microsoft runs (learn.microsoft.com, "Instance
 * metadata service").
 */
const SIGNER_DOMAINS = ["metadata.azure.com", "metadata.azure.us", "metadata.azure.cn"];
/** `11/28/18 00:16:17 -0000`. */
const TIME = /^(\d\d)\/(\d\d)\/(\d\d) (\d\d):(\d\d):(\d\d) -0000$/;

const settingsSchema = azureSettingsSchema.omit({ controlPlane: true, credentials: true });
const time = z
	.string()
	.regex(TIME)
	.transform((text) => {
		const [, month, day, year, h, m, s] = (TIME.exec(text) ?? []).map(Number);
		return Date.UTC(2000 + (year ?? 0), (month ?? 1) - 1, day, h, m, s);
	});
const documentSchema = z.object({
	nonce: z.string(),
	vmId: z.string(),
	subscriptionId: z.string(),
	timeStamp: z.object({ createdOn: time, expiresOn: time }),
});

/**
 * Verifies Azure's attested documents by a chain from their signer to a root of the public web; an emulated endpoint has its own
 * root. They identify a machine by Azure's id for it (`vmId`), which Resource Manager reports with the launch and with each read.
 * @param endpoint as for the site's kind
 */
export function azureIdentity(endpoint: string | undefined): InstanceIdentity {
	const issuers = new Issuers();
	const webTrust = publicTrust();
	const parse = (settings: Record<string, unknown>) => settingsSchema.parse({ ...settings, ...(endpoint ? { endpoint } : {}) });
	return {
		policyOf: (settings) => parse(settings).instanceIdentity,
		async verify(settings, claim) {
			const site = parse(settings);
			const emulator = emulatorAt(site.endpoint);
			const trust = emulator === null ? webTrust : emulatorTrust(emulator, issuers);
			return verifyDocument(claim, site.subscriptionId, { trust, issuers });
		},
	};
}

async function verifyDocument(
	claim: IdentityClaim,
	subscriptionId: string,
	{ trust, issuers }: { trust: Trust; issuers: Issuers },
): Promise<IdentityVerdict> {
	if (claim.document.kind !== "azure") return refused("malformed", "it is not an Azure identity document");
	try {
		const message = readSignedMessage(claim.document.pkcs7);
		const signer = await message.signedBy(message.certificates);
		if (!isAzures(signer))
			return refused("bad_signature", `its signer is ${signer.subjectAltName ?? signer.subject}, not ${SIGNER_DOMAINS[0]}`);
		const chain = await verifyChain(signer, { trust, issuers, along: message.certificates, nowMs: claim.nowMs });
		if (chain !== "trusted")
			return "missing" in chain
				? { outcome: "unverifiable", message: `its signer cannot be checked: ${chain.missing}` }
				: refused("bad_signature", chain.untrusted);
		const document = documentSchema.safeParse(JSON.parse(message.content.toString("utf8")));
		return document.success ? compare(document.data, claim, subscriptionId) : refused("malformed", "it contains no vmId");
	} catch (error) {
		return verdictOf(error);
	}
}

function isAzures({ subjectAltName = "" }: X509Certificate): boolean {
	const names = subjectAltName.split(", ").flatMap((part) => (part.startsWith("DNS:") ? [part.slice(4).toLowerCase()] : []));
	return names.some((name) => SIGNER_DOMAINS.some((domain) => name === domain || name.endsWith(`.${domain}`)));
}

function compare(
	{ nonce, vmId, subscriptionId: shown, timeStamp }: z.output<typeof documentSchema>,
	{ challenge, signedId, nowMs }: IdentityClaim,
	subscriptionId: string,
): IdentityVerdict {
	if (nonce !== challenge.digits) return refused("not_fresh", "it has another nonce");
	if (timeStamp.expiresOn + CLOCK_TOLERANCE_MS < nowMs) return refused("expired", "it has expired");
	if (timeStamp.createdOn - CLOCK_TOLERANCE_MS > nowMs) return refused("not_yet_valid", "its signing time is in the future");
	if (shown.toLowerCase() !== subscriptionId.toLowerCase())
		return refused("other_account", `it is for subscription ${shown}, not ${subscriptionId}`);
	// The machine's agent may call before the response to its launch arrives.
	if (signedId === null) return { outcome: "unverifiable", message: "Azure has not reported this instance's vmId yet" };
	if (vmId.toLowerCase() !== signedId.toLowerCase()) return refused("other_instance", `it is for instance ${vmId}, not ${signedId}`);
	return { outcome: "proved" };
}
