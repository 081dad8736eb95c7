import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { AzureMetadata } from "../azure-metadata.ts";
import { GoogleMetadata } from "../google-metadata.ts";
import { Ec2Metadata } from "../metadata.ts";
import { signedHeaders } from "./aws-signature.ts";
import { acrLogin, ecrLogin, registryOf } from "./login.ts";

let server: Server;
let origin: string;
let asked: { url: string; headers: IncomingMessage["headers"]; body: string }[];
let answers: Record<string, unknown>;
beforeEach(async () => {
	asked = [];
	server = createServer((request, response) => {
		let body = "";
		request.on("data", (chunk) => {
			body += chunk;
		});
		request.on("end", () => {
			asked.push({ url: request.url ?? "", headers: request.headers, body });
			const answer = answers[request.url ?? ""];
			response.writeHead(answer === undefined ? 404 : 200).end(typeof answer === "string" ? answer : JSON.stringify(answer));
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => server.close());

it.each([
	["ghcr.io/acme/train:1", "ghcr.io"],
	["localhost:5000/train", "localhost:5000"],
	["acme/train", null],
	["ubuntu:24.04", null],
])("finds the registry of %s", (image, host) => expect(registryOf(image)).toBe(host));

it.each([
	["GET", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
	["POST", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"],
])("signs a %s as AWS' own test suite does (get-vanilla, post-vanilla)", (method, signature) => {
	const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", sessionToken: null };
	const url = new URL("https://example.amazonaws.com/");
	const at = "20150830T123600Z";
	const signed = signedHeaders({ method, url, headers: {}, body: "" }, { credentials, region: "us-east-1", service: "service", at });
	expect(signed.authorization).toBe(
		`AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
	);
});

it("gets a password from Amazon's registry with the role's credentials", async () => {
	answers = { "/": { authorizationData: [{ authorizationToken: Buffer.from("AWS:pass:word").toString("base64") }] } };
	const credentials = { accessKeyId: "ASIA1", secretAccessKey: "s", sessionToken: "t" };
	const place = { region: "us-east-1", domain: "amazonaws.com" };
	expect(await ecrLogin(place, credentials, { api: `${origin}/` })).toEqual({ user: "AWS", password: "pass:word" });
	expect(asked[0]?.headers).toMatchObject({
		"x-amz-target": "AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken",
		"x-amz-security-token": "t",
		authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=ASIA1\/\d{8}\/us-east-1\/ecr\/aws4_request/),
	});
	answers = {};
	await expect(ecrLogin(place, credentials, { api: `${origin}/` })).rejects.toThrow("returned 404");
});

it("exchanges the identity's token at Azure's registry", async () => {
	answers = { "/oauth2/exchange": { refresh_token: "of-the-registry" } };
	expect(await acrLogin("acme.azurecr.io", "of-the-identity", origin)).toMatchObject({ password: "of-the-registry" });
	expect(Object.fromEntries(new URLSearchParams(asked[0]?.body))).toEqual({
		...{ grant_type: "access_token", service: "acme.azurecr.io", access_token: "of-the-identity" },
	});
});

it("uses a Google token for Google's registries if the machine has a service account", async () => {
	answers = { "/computeMetadata/v1/instance/service-accounts/default/token": { access_token: "ya29", expires_in: 3_000 } };
	const google = new GoogleMetadata(origin.replace("http://", ""));
	expect(await google.registryLogin("europe-docker.pkg.dev")).toEqual({ user: "oauth2accesstoken", password: "ya29" });
	expect(await google.registryLogin("ghcr.io")).toBeNull();
	answers = {};
	expect(await google.registryLogin("gcr.io")).toBeNull();
});

it("sends a cloud's identity to no other registry, and returns nothing without one", async () => {
	const hosts = [
		"ghcr.io",
		"gcr.io.evil.example",
		"evil.example",
		"123456789012.dkr.ecr.us-east-1.amazonaws.com.evil.example",
		"acme.azurecr.io.evil.example",
	];
	answers = {};
	for (const host of hosts) {
		expect(await new GoogleMetadata(origin.replace("http://", "")).registryLogin(host)).toBeNull();
		expect(await new AzureMetadata(origin).registryLogin(host)).toBeNull();
		expect(await new Ec2Metadata(origin).registryLogin(host)).toBeNull();
	}
	expect(asked).toEqual([]);
	answers = { "/latest/api/token": "imds" };
	expect(await new Ec2Metadata(origin).registryLogin("123456789012.dkr.ecr.us-east-1.amazonaws.com")).toBeNull();
});
