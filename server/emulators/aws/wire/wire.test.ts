import { DescribeInstances$, RunInstances$, TerminateInstances$ } from "@aws-sdk/client-ec2";
import { describe, expect, it } from "vitest";
import { Ec2Error } from "../ec2-error.ts";
import { regionOfRequest } from "./credential.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeError, encodeResponse } from "./encode-response.ts";
import { inputShapeOf, outputShapeOf } from "./shapes.ts";

const launch = (form: string) => decodeRequest(inputShapeOf(RunInstances$), new URLSearchParams(form));

function codeOf(work: () => unknown): string {
	try {
		work();
	} catch (error) {
		if (error instanceof Ec2Error) return `${error.code}: ${error.message}`;
		throw error;
	}
	return "no error";
}

describe("decodeRequest", () => {
	it("reads nested lists and structures by Amazon's names, in order of position", () => {
		const { value, paths } = launch(
			"Action=RunInstances&Version=2016-11-15&MinCount=1&DryRun=true" +
				"&TagSpecification.1.ResourceType=instance&TagSpecification.1.Tag.2.Key=b&TagSpecification.1.Tag.1.Key=a&TagSpecification.1.Tag.1.Value=%C3%A4" +
				"&InstanceMarketOptions.SpotOptions.MaxPrice=0.5&SecurityGroupId.10=sg-2&SecurityGroupId.9=sg-1",
		);
		expect(value).toEqual({
			MinCount: 1,
			DryRun: true,
			TagSpecifications: [{ ResourceType: "instance", Tags: [{ Key: "a", Value: "ä" }, { Key: "b" }] }],
			InstanceMarketOptions: { SpotOptions: { MaxPrice: "0.5" } },
			SecurityGroupIds: ["sg-1", "sg-2"],
		});
		expect([...paths]).toContain("TagSpecifications.Tags.Key");
	});

	it.each([
		["Colour=blue", "UnknownParameter: The parameter Colour is not recognized"],
		["Placement.Planet=mars", "UnknownParameter: The parameter Placement.Planet is not recognized"],
		["Placement=mars", "UnknownParameter: The parameter Placement is not recognized"],
		["MinCount.1=1", "UnknownParameter: The parameter MinCount.1 is not recognized"],
		["SecurityGroupId.0=sg-1", "UnknownParameter: The parameter SecurityGroupId.0 is not recognized"],
		["SecurityGroupId.first=sg-1", "UnknownParameter: The parameter SecurityGroupId.first is not recognized"],
		["MinCount=one", "InvalidParameterValue: Value (one) for parameter MinCount is invalid. Expecting a number."],
		["DryRun=yes", "InvalidParameterValue: Value (yes) for parameter DryRun is invalid. Expecting true or false."],
		["KeyName=%00", 'InvalidCharacter: Parameter "KeyName" has a character that is not allowed.'],
		["__proto__.x=1", "UnknownParameter: The parameter __proto__ is not recognized"],
	])("rejects %s", (form, error) => {
		expect(codeOf(() => launch(form))).toBe(error);
	});

	it("rejects a huge form and an endlessly nested key", () => {
		const many = Array.from({ length: 5_001 }, (_, i) => `SecurityGroupId.${i + 1}=sg`).join("&");
		expect(codeOf(() => launch(many))).toMatch(/^MalformedQueryString/);
		expect(codeOf(() => launch(`${"A.".repeat(50)}B=1`))).toMatch(/^UnknownParameter/);
	});
});

describe("encodeResponse", () => {
	it("writes Amazon's elements, escaped, and empty lists as empty elements", () => {
		const xml = encodeResponse(
			"DescribeInstances",
			outputShapeOf(DescribeInstances$),
			{
				Reservations: [{ ReservationId: "r-1", Groups: [], Instances: [{ LaunchTime: new Date(0), Tags: [{ Key: "<a>", Value: "&" }] }] }],
			},
			"id",
		);
		expect(xml).toContain(
			"<reservationSet><item><reservationId>r-1</reservationId><groupSet/><instancesSet><item>" +
				"<launchTime>1970-01-01T00:00:00.000Z</launchTime><tagSet><item><key>&#60;a&#62;</key><value>&#38;</value></item></tagSet>",
		);
	});

	it("fails for a field that Amazon's response does not have, and for a wrong type", () => {
		const shape = outputShapeOf(TerminateInstances$);
		expect(() => encodeResponse("TerminateInstances", shape, { Instances: [] }, "id")).toThrow(/has no field Instances/);
		expect(() => encodeResponse("TerminateInstances", shape, { TerminatingInstances: [{ InstanceId: 1 }] }, "id")).toThrow(
			/must be a string/,
		);
	});

	it("writes errors in EC2's form", () => {
		expect(encodeError(new Ec2Error("RequestLimitExceeded"), "id")).toBe(
			'<?xml version="1.0" encoding="UTF-8"?>\n<Response><Errors><Error><Code>RequestLimitExceeded</Code><Message>Request limit exceeded.</Message></Error></Errors><RequestID>id</RequestID></Response>',
		);
	});
});

describe("regionOfRequest", () => {
	const regions = new Set(["us-east-1"]);
	const header = (key: string, region: string, service = "ec2") =>
		`AWS4-HMAC-SHA256 Credential=${key}/20261121/${region}/${service}/aws4_request, SignedHeaders=host, Signature=00`;

	it("reads the region from the credential's scope", () => {
		expect(regionOfRequest(header("AKIA", "us-east-1"), ["AKIA"], regions)).toBe("us-east-1");
	});

	it.each([
		["no header", undefined],
		["another key", header("AKIB", "us-east-1")],
		["an unknown region", header("AKIA", "mars-1")],
		["another service", header("AKIA", "us-east-1", "s3")],
	])("rejects %s as AuthFailure", (_, authorization) => {
		expect(codeOf(() => regionOfRequest(authorization, ["AKIA"], regions))).toMatch(/^AuthFailure/);
	});
});
