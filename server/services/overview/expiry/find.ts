import { X509Certificate } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import tls from "node:tls";
import type { Expiry } from "#server/domain/alert-facts.ts";

type Life = Pick<Expiry, "what" | "startsAtMs" | "expiresAtMs">;

/** Larger files hold no credentials. */
const FILE_BYTES_MAX = 64 * 1024;
const CONNECT_MS = 5_000;
const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
/** A PEM certificate in base64, as kubeconfig files have it. */
const BASE64_PEM = /LS0tLS1CRUdJTiBDRVJUSUZJQ0FUR[\w+/=]+/g;
const JWT = /\beyJ[\w-]+\.(eyJ[\w-]+)\.[\w-]*/g;
/** Names of settings that point to files with credentials. */
const FILE_NAMES = new Set(["kubeconfig", "tokenFile", "caFile", "file"]);

export interface SiteSecrets {
	id: string;
	name: string;
	settings: unknown;
	credentials: unknown;
}

/**
 * When the certificates and tokens of a site expire: those in its credentials and in the files named in its settings, and the certificates
 * of its https addresses. Unreadable ones are omitted: the site's health shows them.
 */
export async function findSiteExpiries(site: SiteSecrets): Promise<Expiry[]> {
	const texts = [...walk(site.credentials), ...walk(site.settings)];
	const files = texts.filter(({ key, text }) => FILE_NAMES.has(key) && text.startsWith("/"));
	const contents = await Promise.all(files.map(({ text }) => readSmallFile(text)));
	const lives = [...texts.map(({ text }) => text), ...contents].flatMap(findLifetimes);
	const hosts = texts.filter(({ text }) => text.startsWith("https://") && URL.canParse(text)).map(({ text }) => text);
	const served = await Promise.all([...new Set(hosts)].map((url) => findUrlExpiry(url)));
	const first = (what: Expiry["what"]): Life[] =>
		lives
			.filter((life) => life.what === what)
			.sort((a, b) => a.expiresAtMs - b.expiresAtMs)
			.slice(0, 1);
	return [
		...[...first("certificate"), ...first("credential")].map((life) => ({
			...{ subject: `site:${site.id}/${life.what}`, name: `The ${life.what} of site ${site.name}` },
			...life,
		})),
		...served.filter((expiry) => expiry !== null),
	];
}

/** When the certificate of an https address expires, trusted or not; null if the address cannot be reached or is not https. */
export async function findUrlExpiry(address: string, connectMs = CONNECT_MS): Promise<Expiry | null> {
	const url = new URL(address);
	if (url.protocol !== "https:") return null;
	const host = url.hostname.replace(/^\[|\]$/g, "");
	const certificate = await new Promise<tls.PeerCertificate | null>((resolve) => {
		// Only the dates are read and nothing is sent, so an untrusted certificate does no harm.
		const socket = tls.connect(
			{ host, port: Number(url.port || 443), servername: host, rejectUnauthorized: false, timeout: connectMs },
			() => {
				resolve(socket.getPeerCertificate());
				socket.destroy();
			},
		);
		const fail = (): void => {
			socket.destroy();
			resolve(null);
		};
		socket.once("error", fail).once("timeout", fail);
	});
	if (!certificate?.valid_to) return null;
	return {
		...{ subject: `url:${url.host}`, what: "certificate", name: `The certificate of ${url.host}` },
		...{ startsAtMs: Date.parse(certificate.valid_from), expiresAtMs: Date.parse(certificate.valid_to) },
	};
}

function* walk(value: unknown, key = ""): Generator<{ key: string; text: string }> {
	if (typeof value === "string") yield { key, text: value };
	else if (value !== null && typeof value === "object") for (const [name, part] of Object.entries(value)) yield* walk(part, name);
}

async function readSmallFile(file: string): Promise<string> {
	try {
		const found = await stat(file);
		return found.isFile() && found.size <= FILE_BYTES_MAX ? await readFile(file, "utf8") : "";
	} catch {
		return "";
	}
}

function findLifetimes(text: string): Life[] {
	const plain = [...text.matchAll(BASE64_PEM)].map(([box]) => Buffer.from(box, "base64").toString("utf8"));
	const certificates = [text, ...plain].flatMap((part) => [...part.matchAll(PEM)].flatMap(([pem]) => certificateLife(pem)));
	return [...certificates, ...[...text.matchAll(JWT)].flatMap(([, payload = ""]) => tokenLife(payload))];
}

function certificateLife(pem: string): Life[] {
	try {
		const { validFrom, validTo } = new X509Certificate(pem);
		return [{ what: "certificate", startsAtMs: Date.parse(validFrom), expiresAtMs: Date.parse(validTo) }];
	} catch {
		return [];
	}
}

function tokenLife(payload: string): Life[] {
	try {
		const { iat, exp } = JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as { iat?: unknown; exp?: unknown };
		if (typeof exp !== "number") return [];
		return [{ what: "credential", startsAtMs: typeof iat === "number" ? iat * 1_000 : null, expiresAtMs: exp * 1_000 }];
	} catch {
		return [];
	}
}
