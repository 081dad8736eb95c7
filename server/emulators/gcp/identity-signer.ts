import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ISSUER = "https://accounts.google.com";
/** How long an identity token is valid. */
export const TOKEN_LIFE_S = 3_600;

/** Signs the emulated project's identity tokens with its own key. The key is created on first use and stored in its folder. */
export class IdentitySigner {
	readonly #file: string;
	#pem: string | null = null;

	constructor(stateDir: string) {
		this.#file = join(stateDir, "identity-key.pem");
	}

	/** As Google publishes its keys at `/oauth2/v3/certs`. */
	keys(): { keys: unknown[] } {
		const { kty, n, e } = createPublicKey(this.#key()).export({ format: "jwk" });
		return { keys: [{ kty, n, e, alg: "RS256", use: "sig", kid: this.#kid() }] };
	}

	/** A token in the format of `instance/service-accounts/default/identity?format=full`. */
	token(audience: string, nowMs: number, claims: Record<string, unknown>): string {
		const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
		const iat = Math.floor(nowMs / 1_000);
		const header = part({ alg: "RS256", kid: this.#kid(), typ: "JWT" });
		const signed = `${header}.${part({ iss: ISSUER, aud: audience, iat, exp: iat + TOKEN_LIFE_S, ...claims })}`;
		return `${signed}.${sign("sha256", Buffer.from(signed), createPrivateKey(this.#key())).toString("base64url")}`;
	}

	#kid(): string {
		return createHash("sha256")
			.update(createPublicKey(this.#key()).export({ type: "spki", format: "der" }))
			.digest("hex")
			.slice(0, 40);
	}

	#key(): string {
		this.#pem ??= existsSync(this.#file) ? readFileSync(this.#file, "utf8") : this.#newKey();
		return this.#pem;
	}

	#newKey(): string {
		const { privateKey } = generateKeyPairSync("rsa", {
			modulusLength: 2_048,
			privateKeyEncoding: { type: "pkcs8", format: "pem" },
			publicKeyEncoding: { type: "spki", format: "pem" },
		});
		mkdirSync(join(this.#file, ".."), { recursive: true, mode: 0o700 });
		writeFileSync(this.#file, privateKey, { mode: 0o600 });
		return privateKey;
	}
}
