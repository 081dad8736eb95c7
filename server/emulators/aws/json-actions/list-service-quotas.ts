import { ListServiceQuotas$, type ListServiceQuotasRequest, type ListServiceQuotasResponse } from "@aws-sdk/client-service-quotas";
import { Ec2Error } from "../ec2-error.ts";
import { takePage } from "../paging.ts";
import { vcpuQuotas } from "../vcpu-quotas.ts";
import { OWNER_ID } from "../world.ts";
import { defineJsonAction } from "./json-action.ts";

/** The account's vCPU quotas, the same in every region. */
export const listServiceQuotas = defineJsonAction<ListServiceQuotasRequest, ListServiceQuotasResponse>({
	operation: ListServiceQuotas$,
	service: "servicequotas",
	refusal: "IllegalArgumentException",
	supports: ["ServiceCode", "MaxResults", "NextToken"],
	run({ ServiceCode: service, MaxResults: maxResults, NextToken: nextToken }, { world, region }) {
		if (service !== "ec2") throw new Ec2Error("NoSuchResourceException", `The request failed because service ${service} does not exist.`);
		if (maxResults !== undefined && (maxResults < 1 || maxResults > 100))
			throw new Ec2Error("IllegalArgumentException", `Value ${maxResults} at 'maxResults' must be between 1 and 100.`);
		const page = takePage(vcpuQuotas(world.options), ({ code }) => code, {
			...{ action: "ListServiceQuotas", maxResults, nextToken, min: 1, max: 100 },
		});
		const Quotas = page.items.map(({ code, name, limit }) => ({
			ServiceCode: service,
			ServiceName: "Amazon Elastic Compute Cloud (Amazon EC2)",
			QuotaArn: `arn:aws:servicequotas:${region}:${OWNER_ID}:ec2/${code}`,
			QuotaCode: code,
			QuotaName: name,
			Value: limit,
			Unit: "None",
			Adjustable: true,
			GlobalQuota: false,
			QuotaAppliedAtLevel: "ACCOUNT" as const,
		}));
		return { Quotas, ...(page.nextToken === undefined ? {} : { NextToken: page.nextToken }) };
	},
});
