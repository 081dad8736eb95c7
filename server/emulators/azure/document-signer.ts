import { type Identity, keptIdentity, newIdentity, signMessage } from "../shared/identity-authority.ts";
import type { ResolvedOptions } from "./options.ts";

const DAY_MS = 86_400_000;
/** How long an attested document is valid. */
export const DOCUMENT_LIFE_MS = 6 * 3_600_000;

interface Chain {
	root: Identity;
	issuer: Identity;
	signer: Identity;
}

/**
 * Signs attested documents with the emulator's own certificate chain. The chain is created on first use and stored in its folder.
 */
export class DocumentSigner {
	readonly #options: Pick<ResolvedOptions, "stateDir" | "clock">;
	readonly #url: () => string;
	#chain: Promise<Chain> | null = null;

	constructor(options: Pick<ResolvedOptions, "stateDir" | "clock">, url: () => string) {
		this.#options = options;
		this.#url = url;
	}

	/** PEM of the certificates above the signer. `issuer` is the address in the signer's certificate, as at Microsoft. */
	async certificate(which: "root" | "issuer"): Promise<string> {
		return (await this.#kept())[which].certificate;
	}

	/** In the format of `attested/document`: base64 in one line, including the signer's certificate. */
	async sign(facts: { nonce: string | null; vmId: string; subscriptionId: string; sku: string; signedAtMs: number }): Promise<string> {
		const createdOn = azureTime(facts.signedAtMs);
		const document = {
			licenseType: "",
			nonce: facts.nonce ?? createdOn,
			plan: { name: "", product: "", publisher: "" },
			sku: facts.sku,
			subscriptionId: facts.subscriptionId,
			timeStamp: { createdOn, expiresOn: azureTime(facts.signedAtMs + DOCUMENT_LIFE_MS) },
			vmId: facts.vmId,
		};
		const { signer } = await this.#kept();
		return (await signMessage(JSON.stringify(document), signer, { withCertificate: true })).replace(/\s/g, "");
	}

	#kept(): Promise<Chain> {
		this.#chain ??= this.#read();
		return this.#chain;
	}

	async #read(): Promise<Chain> {
		const { stateDir, clock } = this.#options;
		const notBeforeMs = clock() - DAY_MS;
		const root = await keptIdentity(stateDir, "identity-root", () =>
			newIdentity({ name: "Emulated root", isAuthority: true, notBeforeMs }),
		);
		const issuer = await keptIdentity(stateDir, "identity-issuer", () =>
			newIdentity({ name: "Emulated issuer", issuer: root, isAuthority: true, notBeforeMs }),
		);
		const signer = await keptIdentity(stateDir, "identity-signer", () =>
			newIdentity({
				...{ name: "metadata.azure.com", dnsNames: ["metadata.azure.com"], issuer },
				...{ issuerUrl: `${this.#url()}/attested/issuer`, notBeforeMs },
			}),
		);
		return { root, issuer, signer };
	}
}

/** `11/28/18 00:16:17 -0000`. */
function azureTime(ms: number): string {
	const [, year, month, day, time] = /^\d\d(\d\d)-(\d\d)-(\d\d)T([\d:]+)/.exec(new Date(ms).toISOString()) ?? [];
	return `${month}/${day}/${year} ${time} -0000`;
}
