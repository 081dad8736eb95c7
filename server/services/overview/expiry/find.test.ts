import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import tls from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { SELF_SIGNED } from "#server/services/notification/delivery/testing/certificate.ts";
import { findSiteExpiries, findUrlExpiry } from "./find.ts";

const CERTIFICATE_ENDS_MS = Date.parse("2126-10-28T10:20:19Z");
const jwt = (claims: object) =>
	['{"alg":"none"}', JSON.stringify(claims), ""].map((part) => Buffer.from(part).toString("base64url")).join(".");

it("reads certificates and tokens from credentials and from files named in settings", async () => {
	const folder = mkdtempSync(path.join(os.tmpdir(), "spillway-expiry-"));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	const kubeconfig = path.join(folder, "config");
	writeFileSync(kubeconfig, `users: [{ user: { client-certificate-data: ${Buffer.from(SELF_SIGNED.cert).toString("base64")} } }]`);
	const found = await findSiteExpiries({
		...{ id: "k8s", name: "Hall B", settings: { access: { kubeconfig } } },
		credentials: { token: jwt({ exp: 1_800_000_000, iat: 1_790_000_000 }), other: jwt({ sub: "none" }) },
	});
	expect(found).toEqual([
		expect.objectContaining({ subject: "site:k8s/certificate", name: "The certificate of site Hall B", expiresAtMs: CERTIFICATE_ENDS_MS }),
		{
			...{ subject: "site:k8s/credential", what: "credential", name: "The credential of site Hall B" },
			...{ startsAtMs: 1_790_000_000_000, expiresAtMs: 1_800_000_000_000 },
		},
	]);
	const none = { id: "a", name: "a", settings: { access: { kubeconfig: "/nonexistent" } }, credentials: null };
	expect(await findSiteExpiries(none)).toEqual([]);
});

it("reads the certificate that an address presents", async () => {
	const server = tls.createServer(SELF_SIGNED);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	const url = `https://localhost:${port}`;
	expect(await findUrlExpiry(url)).toMatchObject({
		subject: `url:localhost:${port}`,
		what: "certificate",
		expiresAtMs: CERTIFICATE_ENDS_MS,
	});
	const [viaSite] = await findSiteExpiries({ id: "a", name: "a", settings: { server: url }, credentials: null });
	expect(viaSite).toMatchObject({ subject: `url:localhost:${port}` });
	await new Promise((resolve) => server.close(resolve));
	expect(await findUrlExpiry(url)).toBeNull();
	expect(await findUrlExpiry(`http://localhost:${port}`)).toBeNull();
});
