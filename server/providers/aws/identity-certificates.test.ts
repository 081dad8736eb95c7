import { X509Certificate } from "node:crypto";
import { expect, it } from "vitest";
import { AWS_IDENTITY_CERTIFICATES } from "./identity-certificates.ts";

it("contains complete certificates: each is self-signed, has a 2048-bit key and is valid for decades, and none is duplicated", () => {
	const certificates = Object.entries(AWS_IDENTITY_CERTIFICATES).map(([region, text]) => ({
		region,
		certificate: new X509Certificate(text),
	}));
	expect(certificates.length).toBeGreaterThanOrEqual(30);
	for (const { region, certificate } of certificates) {
		expect(region).toMatch(/^[a-z]+(-[a-z]+)+-\d$/);
		expect(certificate.verify(certificate.publicKey), region).toBe(true);
		expect(certificate.publicKey.asymmetricKeyDetails?.modulusLength, region).toBe(2_048);
		expect(Date.parse(certificate.validTo), region).toBeGreaterThan(Date.UTC(2100, 0));
		expect(certificate.subject).toContain("Amazon Web Services LLC");
	}
	expect(new Set(certificates.map(({ certificate }) => certificate.fingerprint256)).size).toBe(certificates.length);
});
