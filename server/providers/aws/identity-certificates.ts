import certificates from "./identity-certificates.json" with { type: "json" };

/**
 * The certificates by which Amazon signs the RSA-2048 form of instance identity documents, PEM by region, as published in the EC2
 * User Guide
 * ("AWS public certificates for instance identity document signatures", docs.aws.amazon.com/AWSEC2/latest/UserGuide/regions-certs.html),
 * taken letter by letter from the copy of that page's certificates in SPIRE's awsrsa2048 package, August 2026. Each signs itself, which
 * identity-certificates.test.ts holds them to: a letter that is wrong is seen.
 */
export const AWS_IDENTITY_CERTIFICATES: Readonly<Record<string, string>> = Object.fromEntries(
	Object.entries(certificates).map(([region, der]) => [region, `-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----`]),
);
