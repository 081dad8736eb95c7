import { z } from "zod";

/** ISO 4217. USD shows a report unconverted. */
export const currencyCode = z.string().regex(/^[A-Z]{3}$/, "must be an ISO 4217 code such as EUR");

const date = z.iso.date().refine((text) => /^(19|20)/.test(text), "must be a date such as 2026-11-25");

export const importRatesInput = z.strictObject({
	/** The file's text: CSV with date, currency and rate (units for one US dollar), or the ECB's reference rates. */
	text: z.string().min(1),
	/** Source of the rates, for reports. */
	message: z.string().trim().min(1).max(200),
});

export const listRatesInput = z.strictObject({
	currency: currencyCode.optional(),
	/** Dates, inclusive. */
	from: date.optional(),
	to: date.optional(),
	limit: z.number().int().min(1).max(1_000).default(100),
});

export const reportingCurrencyInput = z.strictObject({ currency: currencyCode });
