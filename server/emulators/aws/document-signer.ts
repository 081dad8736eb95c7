import { type Identity, keptIdentity, newIdentity, signMessage } from "../shared/identity-authority.ts";
import type { ResolvedOptions } from "./options.ts";

/** Signs instance identity documents by a key of the emulator's own, which is made when first asked for and stays in its folder. */
export class DocumentSigner {
	readonly #options: Pick<ResolvedOptions, "stateDir" | "clock">;
	#identity: Promise<Identity> | null = null;

	constructor(options: Pick<ResolvedOptions, "stateDir" | "clock">) {
		this.#options = options;
	}

	/** PEM. */
	async certificate(): Promise<string> {
		return (await this.#kept()).certificate;
	}

	/** In the form of `instance-identity/rsa2048`: the document is in it, the certificate is not. */
	async sign(document: string): Promise<string> {
		return signMessage(document, await this.#kept(), { withCertificate: false });
	}

	#kept(): Promise<Identity> {
		const { stateDir, clock } = this.#options;
		this.#identity ??= keptIdentity(stateDir, "identity", () =>
			newIdentity({ name: "Emulated instance identity", notBeforeMs: clock() - 86_400_000 }),
		);
		return this.#identity;
	}
}
