import { X509Certificate } from "node:crypto";
import { rootCertificates } from "node:tls";
import { CLOCK_TOLERANCE_MS } from "../instance-identity.ts";

const FETCH_TIMEOUT_MS = 5_000;
const CERTIFICATE_BYTES_MAX = 64 * 1024;
/** Microsoft's chains have three certificates from the signer to a root. */
const LENGTH_MAX = 5;

/**
 * Microsoft's certificates name their issuers at these hosts. A request to any other address would let a machine make the server
 * call it.
 */
const ISSUER_HOSTS = new Set(["www.microsoft.com", "cacerts.digicert.com"]);

/** The accepted roots of a chain, and the addresses from which missing issuers may be downloaded. */
export interface Trust {
	roots(): Promise<readonly X509Certificate[]>;
	mayFetch(address: URL): boolean;
}

/** The roots of the public web, as shipped with Node. The signer's certificate proves its purpose by its domain. */
export function publicTrust(): Trust {
	let roots: readonly X509Certificate[] | null = null;
	return {
		async roots() {
			roots ??= rootCertificates.map((text) => new X509Certificate(text));
			return roots;
		},
		mayFetch: ({ protocol, hostname, port }) => ISSUER_HOSTS.has(hostname) && port === "" && /^https?:$/.test(protocol),
	};
}

/** An emulated endpoint's own root, read from it. */
export function emulatorTrust(emulator: string, fetched: Issuers): Trust {
	return {
		roots: async () => [await fetched.at(new URL(`${emulator}/attested/root`))],
		mayFetch: ({ origin }) => origin === new URL(emulator).origin,
	};
}

/** Certificates by address, each downloaded once. */
export class Issuers {
	readonly #known = new Map<string, X509Certificate>();

	/** @throws Error if it cannot be downloaded */
	async at(address: URL): Promise<X509Certificate> {
		const known = this.#known.get(address.href);
		if (known) return known;
		const answer = await fetch(address, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS), redirect: "error" });
		if (!answer.ok) throw new Error(`${address.href} answered ${answer.status}`);
		const bytes = Buffer.from(await answer.arrayBuffer());
		if (bytes.length > CERTIFICATE_BYTES_MAX) throw new Error(`${address.href} is larger than a certificate`);
		const certificate = new X509Certificate(bytes);
		this.#known.set(address.href, certificate);
		return certificate;
	}
}

export type ChainVerdict = "trusted" | { untrusted: string } | { missing: string };

/**
 * Whether a chain leads from a certificate to a root, through the certificates sent along and the issuers that certificates name.
 * `missing`: an issuer is unavailable, so the result is unknown.
 */
export async function verifyChain(
	leaf: X509Certificate,
	{ trust, issuers, along, nowMs }: { trust: Trust; issuers: Issuers; along: readonly X509Certificate[]; nowMs: number },
): Promise<ChainVerdict> {
	try {
		const roots = await trust.roots();
		for (let current = leaf, length = 1; length <= LENGTH_MAX; length++) {
			const outOfDate = dateProblem(current, nowMs);
			if (outOfDate !== null) return { untrusted: outOfDate };
			if (roots.some((root) => root.raw.equals(current.raw) || isIssuer(root, current))) return "trusted";
			if (isIssuer(current, current)) return { untrusted: "its chain ends at an untrusted root" };
			const next = along.find((c) => isIssuer(c, current)) ?? (await fetchIssuer(current, trust, issuers));
			if (typeof next === "string") return { missing: next };
			if (!isIssuer(next, current)) return { untrusted: "a certificate of its chain was not issued by the next" };
			current = next;
		}
		return { untrusted: `its chain is longer than ${LENGTH_MAX}` };
	} catch (error) {
		return { missing: error instanceof Error ? error.message : String(error) };
	}
}

function isIssuer(issuer: X509Certificate, of: X509Certificate): boolean {
	return issuer.ca && of.checkIssued(issuer) && of.verify(issuer.publicKey);
}

function dateProblem({ validFrom, validTo, subject }: X509Certificate, nowMs: number): string | null {
	const isNow = Date.parse(validFrom) <= nowMs + CLOCK_TOLERANCE_MS && nowMs - CLOCK_TOLERANCE_MS <= Date.parse(validTo);
	return isNow ? null : `the certificate ${subject} is valid from ${validFrom} to ${validTo}`;
}

/** Returns the issuer, or why it is unavailable. */
async function fetchIssuer({ infoAccess, subject }: X509Certificate, trust: Trust, issuers: Issuers): Promise<X509Certificate | string> {
	const [, text] = /^CA Issuers - URI:(\S+)$/m.exec(infoAccess ?? "") ?? [];
	if (text === undefined || !URL.canParse(text)) return `the certificate ${subject} has no URL for its issuer's certificate`;
	const address = new URL(text);
	return trust.mayFetch(address) ? issuers.at(address) : `the issuer's certificate is at ${address.host}, which is not an allowed host`;
}
