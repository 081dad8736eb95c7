import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { SignatureV4 } from "@smithy/signature-v4";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { unwrapCredentialKeys } from "./unwrap-credential-keys.ts";

const KEYS = `${"k".repeat(43)}\n${"l".repeat(43)}\n`;
const CREDENTIALS = { accessKeyId: "AKIAEMULATED", secretAccessKey: "secret" };

type Data = string | ArrayBuffer | ArrayBufferView;

function bytesOf(data: Data): Buffer {
	if (typeof data === "string") return Buffer.from(data);
	return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
}

class Sha256 {
	readonly #hash;
	constructor(secret?: Data) {
		this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", bytesOf(secret));
	}
	update(data: Data): void {
		this.#hash.update(bytesOf(data));
	}
	async digest(): Promise<Uint8Array> {
		return this.#hash.digest();
	}
	reset(): void {}
}

/** AWS KMS with one key: refuses what the real one refuses, in its words. */
class Kms {
	readonly #key = randomBytes(32);
	readonly #server: Server = createServer((request, response) => {
		void this.#answer(request).then(([status, body]) => response.writeHead(status).end(JSON.stringify(body)));
	});
	isDisabled = false;
	mayDecrypt = true;

	async start(): Promise<string> {
		this.#server.listen(0, "127.0.0.1");
		await once(this.#server, "listening");
		return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
	}

	stop(): void {
		this.#server.close();
	}

	encrypt(plain: string, context: Record<string, string>): string {
		const iv = randomBytes(12);
		const cipher = createCipheriv("aes-256-gcm", this.#key, iv).setAAD(Buffer.from(JSON.stringify(context)));
		const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
		return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64");
	}

	async #answer(request: IncomingMessage): Promise<[number, unknown]> {
		let body = "";
		for await (const chunk of request) body += chunk;
		const refuse = (type: string, message?: string): [number, unknown] => [400, { __type: type, ...(message && { message }) }];
		if (request.headers["x-amz-target"] !== "TrentService.Decrypt") return refuse("UnknownOperationException");
		if (!(await this.#isSigned(request, body)))
			return refuse("InvalidSignatureException", "The request signature we calculated does not match the signature you provided.");
		if (!this.mayDecrypt) return refuse("AccessDeniedException", "User is not authorized to perform: kms:Decrypt");
		if (this.isDisabled) return refuse("DisabledException", "The key is disabled.");
		const { CiphertextBlob, EncryptionContext } = JSON.parse(body);
		try {
			const blob = Buffer.from(CiphertextBlob, "base64");
			const decipher = createDecipheriv("aes-256-gcm", this.#key, blob.subarray(0, 12)).setAuthTag(blob.subarray(12, 28));
			decipher.setAAD(Buffer.from(JSON.stringify(EncryptionContext)));
			const plain = Buffer.concat([decipher.update(blob.subarray(28)), decipher.final()]);
			return [200, { KeyId: "arn:aws:kms:eu-central-1:1:key/1", Plaintext: plain.toString("base64") }];
		} catch {
			return refuse("InvalidCiphertextException");
		}
	}

	/** Signs the received request again with the SDK's signer. */
	async #isSigned({ headers, method = "" }: IncomingMessage, body: string): Promise<boolean> {
		const names = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? "")?.[1]?.split(";") ?? [];
		const signer = new SignatureV4({
			service: "kms",
			region: "eu-central-1",
			credentials: CREDENTIALS,
			sha256: Sha256,
			applyChecksum: false,
		});
		const at = String(headers["x-amz-date"]).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z");
		const sent = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
		const [hostname = "", port] = String(headers.host).split(":");
		const again = await signer.sign(
			{ method, protocol: "http:", hostname, port: Number(port), path: "/", headers: sent, body },
			{ signingDate: new Date(at) },
		);
		return again.headers["authorization"] === headers.authorization;
	}
}

let folder: string;
let kms: Kms;
let settings: {
	SPILLWAY_CREDENTIAL_KEYS: string | undefined;
	SPILLWAY_CREDENTIAL_KEYS_KMS: Parameters<typeof unwrapCredentialKeys>[0]["SPILLWAY_CREDENTIAL_KEYS_KMS"];
};
beforeAll(() => {
	folder = mkdtempSync(path.join(tmpdir(), "spillway-kms-"));
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(async () => {
	vi.stubEnv("AWS_ACCESS_KEY_ID", CREDENTIALS.accessKeyId);
	vi.stubEnv("AWS_SECRET_ACCESS_KEY", CREDENTIALS.secretAccessKey);
	kms = new Kms();
	const endpoint = await kms.start();
	const ciphertextFile = path.join(folder, "keys.kms");
	writeFileSync(ciphertextFile, `${kms.encrypt(KEYS, { app: "spillway" })}\n`);
	const context = { app: "spillway" };
	settings = {
		SPILLWAY_CREDENTIAL_KEYS: undefined,
		SPILLWAY_CREDENTIAL_KEYS_KMS: { region: "eu-central-1", ciphertextFile, endpoint, context },
	};
});
afterEach(() => {
	vi.unstubAllEnvs();
	kms.stop();
});

it("decrypts the keys with a signed call", async () => {
	expect(await unwrapCredentialKeys(settings)).toBe(KEYS);
});

it("leaves keys that are set, or in a file, as they are", async () => {
	expect(await unwrapCredentialKeys({ SPILLWAY_CREDENTIAL_KEYS: "set", SPILLWAY_CREDENTIAL_KEYS_KMS: undefined })).toBe("set");
	expect(await unwrapCredentialKeys({ SPILLWAY_CREDENTIAL_KEYS: undefined, SPILLWAY_CREDENTIAL_KEYS_KMS: undefined })).toBeUndefined();
	await expect(unwrapCredentialKeys({ ...settings, SPILLWAY_CREDENTIAL_KEYS: "set" })).rejects.toThrow(
		"SPILLWAY_CREDENTIAL_KEYS is set too",
	);
});

it("reports what KMS refuses, and never the keys", async () => {
	const { SPILLWAY_CREDENTIAL_KEYS_KMS: wrapped } = settings;
	if (!wrapped) throw new Error("not set");
	const tried = (changes: Partial<typeof wrapped>) =>
		unwrapCredentialKeys({ ...settings, SPILLWAY_CREDENTIAL_KEYS_KMS: { ...wrapped, ...changes } });
	await expect(tried({ context: { app: "other" } })).rejects.toThrow("AWS KMS refused (InvalidCiphertextException");
	await expect(tried({ region: "us-east-1" })).rejects.toThrow("AWS KMS refused (InvalidSignatureException");
	await expect(tried({ ciphertextFile: path.join(folder, "none") })).rejects.toThrow("cannot read");
	kms.mayDecrypt = false;
	await expect(tried({})).rejects.toThrow("AWS KMS refused (AccessDeniedException: User is not authorized to perform: kms:Decrypt)");
	kms.mayDecrypt = true;
	kms.isDisabled = true;
	await expect(tried({})).rejects.toThrow("AWS KMS refused (DisabledException");
	vi.stubEnv("AWS_SECRET_ACCESS_KEY", "wrong");
	await expect(tried({})).rejects.toThrow("InvalidSignatureException");
	kms.stop();
	await expect(tried({ endpoint: "http://127.0.0.1:9/" })).rejects.toThrow("127.0.0.1:9 did not respond");
});
