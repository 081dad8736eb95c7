import { type Identity, keptIdentity, newIdentity, signMessage } from "../shared/identity-authority.ts";
import type { ResolvedOptions } from "./options.ts";

/** Signs instance identity documents with the emulator's own key. The key is created on first use and stored in its folder. */
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

	/** In the format of `instance-identity/rsa2048`: contains the document, but not the certificate. */
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
