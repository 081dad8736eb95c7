import { getProducts } from "./get-products.ts";
import type { JsonAction } from "./json-action.ts";
import { listServiceQuotas } from "./list-service-quotas.ts";

/** Actions by the header that names them. */
export const JSON_ACTIONS: ReadonlyMap<string, JsonAction> = new Map([
	["AWSPriceListService.GetProducts", getProducts],
	["ServiceQuotasV20190624.ListServiceQuotas", listServiceQuotas],
]);
