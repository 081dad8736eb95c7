import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as pkijs from "pkijs";

const RSA = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const YEAR_MS = 365 * 86_400_000;
/** Encoded extensions for which the library has no class. */
const DER_OID = { commonName: Buffer.from("0603550403", "hex"), data: Buffer.from("06092a864886f70d010701", "hex") };
const OID = { basicConstraints: "2.5.29.19", altName: "2.5.29.17", infoAccess: "1.3.6.1.5.5.7.1.1" };
const OID_CA_ISSUERS = "1.3.6.1.5.5.7.48.2";

/** A key and its certificate, both as PEM. */
export interface Identity {
	key: string;
	certificate: string;
}

export interface CertificateTerms {
	name: string;
	/** Undefined: self-signed. */
	issuer?: Identity;
	/** Whether it may sign certificates. */
	isAuthority?: boolean;
	dnsNames?: readonly string[];
	/** Where the issuer's certificate can be downloaded. */
	issuerUrl?: string;
	notBeforeMs: number;
	/** Default: ten years. */
	lifeMs?: number;
}

/** Creates a key with a certificate. */
export async function newIdentity(terms: CertificateTerms): Promise<Identity> {
	const pair = await crypto.subtle.generateKey({ ...RSA, modulusLength: 2_048, publicExponent: new Uint8Array([1, 0, 1]) }, true, [
		"sign",
		"verify",
	]);
	const issuer = terms.issuer && pkijs.Certificate.fromBER(derOf(terms.issuer.certificate));
	const certificate = new pkijs.Certificate();
	certificate.version = 2;
	certificate.serialNumber.valueBlock.valueHexView = new Uint8Array([1, ...randomBytes(8)]);
	certificate.subject.typesAndValues.push(nameOf(terms.name));
	certificate.issuer = issuer?.subject ?? certificate.subject;
	certificate.notBefore.value = new Date(terms.notBeforeMs);
	certificate.notAfter.value = new Date(terms.notBeforeMs + (terms.lifeMs ?? 10 * YEAR_MS));
	certificate.extensions = extensionsOf(terms);
	await certificate.subjectPublicKeyInfo.importKey(pair.publicKey);
	await certificate.sign(terms.issuer ? await keyOf(terms.issuer) : pair.privateKey, "SHA-256");
	const key = Buffer.from(await crypto.subtle.exportKey("pkcs8", pair.privateKey));
	return { key: pem("PRIVATE KEY", key), certificate: pem("CERTIFICATE", Buffer.from(certificate.toSchema(true).toBER())) };
}

/** Loads the key and certificate from the file, or creates them on first use. */
export async function keptIdentity(stateDir: string, file: string, make: () => Promise<Identity>): Promise<Identity> {
	const path = join(stateDir, `${file}.json`);
	// The file was written by this program, below.
	if (existsSync(path)) return JSON.parse(readFileSync(path, "utf8")) as Identity;
	const made = await make();
	mkdirSync(stateDir, { recursive: true, mode: 0o700 });
	writeFileSync(path, JSON.stringify(made), { mode: 0o600 });
	return made;
}

/** A PKCS #7 message that contains `content`, as base64 in lines, with or without the signer's certificate. */
export async function signMessage(content: string, signer: Identity, options: { withCertificate: boolean }): Promise<string> {
	const certificate = pkijs.Certificate.fromBER(derOf(signer.certificate));
	const signed = new pkijs.SignedData({
		encapContentInfo: pkijs.EncapsulatedContentInfo.fromBER(der(0x30, DER_OID.data, der(0xa0, der(0x04, Buffer.from(content))))),
		signerInfos: [
			new pkijs.SignerInfo({
				sid: new pkijs.IssuerAndSerialNumber({ issuer: certificate.issuer, serialNumber: certificate.serialNumber }),
			}),
		],
		certificates: options.withCertificate ? [certificate] : [],
	});
	await signed.sign(await keyOf(signer), 0, "SHA-256");
	const message = new pkijs.ContentInfo({ contentType: pkijs.ContentInfo.SIGNED_DATA, content: signed.toSchema(true) });
	return lines(Buffer.from(message.toSchema().toBER()));
}

function extensionsOf({ isAuthority = false, dnsNames = [], issuerUrl }: CertificateTerms): pkijs.Extension[] {
	const found = [new pkijs.BasicConstraints({ cA: isAuthority }).toSchema().toBER()].map((extnValue) =>
		extension(OID.basicConstraints, extnValue),
	);
	if (dnsNames.length > 0) {
		const names = new pkijs.GeneralNames({ names: dnsNames.map((value) => new pkijs.GeneralName({ type: 2, value })) });
		found.push(extension(OID.altName, names.toSchema().toBER()));
	}
	if (issuerUrl !== undefined) {
		const accessLocation = new pkijs.GeneralName({ type: 6, value: issuerUrl });
		const access = new pkijs.InfoAccess({
			accessDescriptions: [new pkijs.AccessDescription({ accessMethod: OID_CA_ISSUERS, accessLocation })],
		});
		found.push(extension(OID.infoAccess, access.toSchema().toBER()));
	}
	return found;
}

function extension(extnID: string, extnValue: ArrayBuffer): pkijs.Extension {
	return new pkijs.Extension({ extnID, critical: false, extnValue });
}

function nameOf(value: string): pkijs.AttributeTypeAndValue {
	return pkijs.AttributeTypeAndValue.fromBER(der(0x30, DER_OID.commonName, der(0x0c, Buffer.from(value))));
}

/** In separate memory: the library reads the whole ArrayBuffer behind a Buffer. */
function der(tag: number, ...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
	const content = Buffer.concat(parts);
	const length = content.length < 0x80 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff];
	return new Uint8Array(Buffer.concat([Buffer.from([tag, ...length]), content]));
}

function keyOf({ key }: Identity): Promise<CryptoKey> {
	return crypto.subtle.importKey("pkcs8", derOf(key), RSA, false, ["sign"]);
}

function derOf(text: string): Uint8Array<ArrayBuffer> {
	return new Uint8Array(Buffer.from(text.replace(/-----[^-]+-----|\s/g, ""), "base64"));
}

function pem(kind: string, der: Buffer): string {
	return `-----BEGIN ${kind}-----\n${lines(der)}\n-----END ${kind}-----\n`;
}

function lines(der: Buffer): string {
	return der.toString("base64").replace(/(.{64})(?=.)/g, "$1\n");
}
