import certificates from "./identity-certificates.json" with { type: "json" };

/**
 * The certificates with which Amazon signs the RSA-2048 form of instance identity documents, PEM by region, as published in the
 * EC2 User Guide ("AWS public certificates for instance identity document signatures",
 * docs.aws.amazon.com/AWSEC2/latest/UserGuide/regions-certs.html), copied verbatim from the copy of that page's certificates in
 * SPIRE's awsrsa2048 package, August 2026. Each is self-signed, and identity-certificates.test.ts verifies the signatures, so a
 * typing error would fail the test.
 */
export const AWS_IDENTITY_CERTIFICATES: Readonly<Record<string, string>> = Object.fromEntries(
	Object.entries(certificates).map(([region, der]) => [region, `-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----`]),
);
