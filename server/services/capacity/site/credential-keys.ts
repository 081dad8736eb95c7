import { createHash, randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SpillwayError } from "#server/kernel/errors.ts";
import { openText, sealText } from "#server/services/core/sealed-box.ts";

const VERSION = "v1";
const KEY_BYTES = 32;
const FILE = "credential-keys";
/** Readable only by the owner. */
const FILE_MODE = 0o600;

export interface CredentialKeysOptions {
	/** SPILLWAY_HOME: the keys are lines of its file `credential-keys`, created with the first stored credentials. */
	home: string;
	/** SPILLWAY_CREDENTIAL_KEYS: the keys themselves, separated by commas or spaces; the file is not read then. */
	given?: string | undefined;
}

/**
 * The keys that encrypt stored site credentials: the first one seals, all of them open. They are read at each use, so a new
 * first key takes effect immediately. Only a key's number is ever printed: the first 8 hex digits of its SHA-256, which each
 * box contains.
 */
export class CredentialKeys {
	readonly #options: CredentialKeysOptions;

	constructor(options: CredentialKeysOptions) {
		this.#options = options;
	}

	/** @throws SpillwayError `precondition_failed` for unreadable or invalid keys. */
	seal(owner: string, text: string): string {
		const [first = this.#make()] = this.#keys();
		return `${VERSION}.${numberOf(first)}.${sealText(first, owner, text)}`;
	}

	/** @throws SpillwayError `precondition_failed` when its key is not among them, or it belongs to another row. */
	open(owner: string, box: string): string {
		const [version, number = "", ...rest] = box.split(".");
		const key = this.#keys().find((k) => numberOf(k) === number);
		const enterAgain = "or enter the site's credentials again";
		if (version !== VERSION || key === undefined) {
			throw unusable(`Stored credentials cannot be opened: their key ${number} is not in ${this.#place()}.`, `Put it back, ${enterAgain}.`);
		}
		try {
			return openText(key, owner, rest.join("."));
		} catch (cause) {
			throw unusable(
				"Stored credentials cannot be opened: they were changed, or are another site's.",
				`Restore the row, ${enterAgain}.`,
				cause,
			);
		}
	}

	/** Whether a box was sealed under a key other than the current first one. */
	isOld(box: string): boolean {
		const [first] = this.#keys();
		return first !== undefined && box.split(".")[1] !== numberOf(first);
	}

	#place(): string {
		return this.#options.given === undefined ? path.join(this.#options.home, FILE) : "SPILLWAY_CREDENTIAL_KEYS";
	}

	#keys(): Buffer[] {
		const text = this.#options.given ?? readIfThere(this.#place());
		return text
			.split(/[\s,]+/)
			.filter(Boolean)
			.map((line) => {
				const key = Buffer.from(line, "base64url");
				if (key.length === KEY_BYTES) return key;
				throw unusable(
					`${this.#place()} holds something that is no key: ${KEY_BYTES} random bytes in base64url are expected.`,
					"Put the file back from a backup. A new key: openssl rand -base64 32 | tr '+/' '-_' | tr -d '='",
				);
			});
	}

	/** The first key. If several processes create it concurrently, the file appears complete, and the first one's key is used. */
	#make(): Buffer {
		const file = this.#place();
		if (this.#options.given !== undefined) throw unusable("SPILLWAY_CREDENTIAL_KEYS holds no key.", "Set one, or leave it unset.");
		const draft = `${file}.${process.pid}.tmp`;
		try {
			writeFileSync(draft, `${randomBytes(KEY_BYTES).toString("base64url")}\n`, { mode: FILE_MODE, flag: "wx" });
			linkSync(draft, file);
		} catch (cause) {
			if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST"))
				throw unusable(`The key for credentials cannot be written to ${file}.`, "See that SPILLWAY_HOME is there and writable.", cause);
		} finally {
			rmSync(draft, { force: true });
		}
		const [made] = this.#keys();
		if (made === undefined) throw unusable(`${file} is empty.`, "Remove it, or put the keys back from a backup.");
		return made;
	}
}

function readIfThere(file: string): string {
	try {
		if ((statSync(file).mode & 0o077) !== 0)
			throw unusable(`${file} can be read by others, and holds the keys to every credential.`, `chmod 600 ${file}`);
		return readFileSync(file, "utf8");
	} catch (cause) {
		if (cause instanceof SpillwayError) throw cause;
		if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return "";
		throw unusable(`${file} cannot be read.`, "Make sure that Spillway's user owns it.", cause);
	}
}

function numberOf(key: Buffer): string {
	return createHash("sha256").update(key).digest("hex").slice(0, 8);
}

function unusable(message: string, fix: string, cause?: unknown): SpillwayError {
	return new SpillwayError("precondition_failed", message, { fix, ...(cause === undefined ? {} : { cause }) });
}
