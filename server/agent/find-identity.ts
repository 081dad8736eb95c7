import { messageOf } from "./client.ts";
import type { IdentityChallenge, IdentityDocument } from "./identity-document.ts";
import type { MachineMetadata } from "./metadata.ts";

/**
 * Returns the provider's document, or why there is none. Without one only the secret identifies the machine, if the control plane
 * accepts that.
 */
export type FoundIdentity = { document: IdentityDocument; missing: null } | { document: null; missing: string };

export async function findIdentity(metadata: MachineMetadata, challenge: IdentityChallenge): Promise<FoundIdentity> {
	try {
		const document = await metadata.identityDocument(challenge);
		return document === null
			? { document, missing: "the metadata service has no identity document for this instance" }
			: { document, missing: null };
	} catch (error) {
		return { document: null, missing: `could not get an identity document from the metadata service: ${messageOf(error)}` };
	}
}
