import { z } from "zod";
import { importRatesInput, listRatesInput, reportingCurrencyInput } from "./inputs/currency.ts";
import { operation } from "./operation.ts";
import { instant } from "./parts.ts";

const exchangeRateSchema = z
	.object({
		currency: z.string(),
		date: z.string(),
		/** Units of the currency for one US dollar, rounded to ten decimals; reports use units ÷ usd. */
		rate: z.string(),
		units: z.string(),
		usd: z.string(),
		source: z.string(),
		importedBy: z.string(),
		importedAt: instant,
	})
	.meta({ id: "ExchangeRate" });

export const currency = {
	get: operation({
		method: "GET",
		path: "/reporting-currency",
		summary: "Get the reporting currency and the currencies with exchange rates",
		permission: "spend:read",
		output: z.object({
			currency: z.string(),
			currencies: z.array(z.object({ currency: z.string(), rates: z.number(), from: z.string(), to: z.string() })),
		}),
		procedure: "query",
	}),
	set: operation({
		method: "PUT",
		path: "/reporting-currency",
		summary: "Set the currency that reports are shown in; the ledger stays in US dollars",
		permission: "rates:change",
		input: reportingCurrencyInput,
		output: z.object({ currency: z.string() }),
		example: { currency: "EUR" },
		write: true,
		procedure: "mutation",
	}),
	rates: operation({
		method: "GET",
		path: "/exchange-rates",
		summary: "List imported exchange rates, newest date first",
		permission: "rates:read",
		input: listRatesInput,
		output: z.array(exchangeRateSchema),
		example: { currency: "EUR", from: "2026-11-01" },
		procedure: "query",
	}),
	importRates: operation({
		method: "PUT",
		path: "/exchange-rates",
		summary: "Import dated exchange rates from a CSV file",
		description: "`date,currency,rate`, or the ECB's reference rates ([currencies](currencies.md)).",
		permission: "rates:change",
		input: importRatesInput,
		output: z.object({
			currencies: z.array(z.string()),
			from: z.string(),
			to: z.string(),
			added: z.number(),
			replaced: z.number(),
			unchanged: z.number(),
		}),
		example: { text: "date,currency,rate\n2026-11-25,EUR,0.9239\n", message: "Group treasury" },
		status: 201,
		write: true,
		procedure: "mutation",
	}),
};
