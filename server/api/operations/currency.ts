import { currency } from "#server/contract/currency.ts";
import { importRates } from "#server/services/pricing/currency/import-rates.ts";
import { listRates } from "#server/services/pricing/currency/rates.ts";
import { getReportingCurrency, setReportingCurrency } from "#server/services/pricing/currency/reporting-currency.ts";
import { bind } from "./bind.ts";

export const currencyOperations = {
	get: bind(currency.get, getReportingCurrency),
	set: bind(currency.set, setReportingCurrency),
	rates: bind(currency.rates, listRates),
	importRates: bind(currency.importRates, importRates),
};
