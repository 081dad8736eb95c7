import { type FinanceContext, type OptionMoney, type Outlook, paymentsOf, presentValue } from "./finance.ts";
import type { Sensitivity } from "./types.ts";

type Change = { name: string; key: keyof Outlook; low: number; high: number; show: (value: number) => string };

const percent = (value: number): string => `${Math.round(value * 100)}%`;
const perYear = (value: number): string => `${percent(value)} a year`;
const recorded = (value: number): string => (value === 1 ? "as recorded" : `${percent(value)} of it`);

/** Changed one at a time. Their widths are choices of this project, except ±30% of the cloud price. */
function changesFrom(base: Outlook): Change[] {
	return [
		{ name: "Cloud price", key: "cloudPrice", low: 0.7, high: 1.3, show: recorded },
		{ name: "Demand", key: "demand", low: 0.8, high: 1.2, show: recorded },
		{ name: "Demand growth", key: "growthPerYear", low: base.growthPerYear - 0.15, high: base.growthPerYear + 0.15, show: perYear },
		{
			name: "Cloud price trend",
			key: "cloudPriceChangePerYear",
			low: base.cloudPriceChangePerYear - 0.15,
			high: base.cloudPriceChangePerYear + 0.05,
			show: perYear,
		},
		{ name: "Hardware price", key: "hardware", low: 0.8, high: 1.2, show: recorded },
		{ name: "Power price", key: "power", low: 0.7, high: 1.3, show: recorded },
		{ name: "Interruptions", key: "interruptions", low: 0.5, high: 2, show: recorded },
		{ name: "Delivery", key: "deliveryMonths", low: 0, high: base.deliveryMonths + 4, show: (months) => `${months} months` },
		{
			name: "Discount rate",
			key: "discountRate",
			low: Math.max(0, base.discountRate - 0.04),
			high: base.discountRate + 0.04,
			show: perYear,
		},
	];
}

/** NPV of an option relative to a reference with one assumption changed, widest first. */
export function sensitivities(
	pair: { option: OptionMoney; reference: OptionMoney },
	context: FinanceContext,
	base: Outlook,
): Sensitivity[] {
	const rows = changesFrom(base).map(({ name, key, low, high, show }) => {
		const at = (value: number) => ({ value: show(value), npvUsd: npvOf(pair, context, { ...base, [key]: value }) });
		return { name, base: show(base[key]), low: at(low), high: at(high) };
	});
	const width = (row: Sensitivity): number => Math.abs(row.high.npvUsd - row.low.npvUsd);
	return rows.sort((a, b) => width(b) - width(a));
}

/** Present value saved relative to the reference, whole US dollars. */
export function npvOf(
	{ option, reference }: { option: OptionMoney; reference: OptionMoney },
	context: FinanceContext,
	outlook: Outlook,
): number {
	const value = (money: OptionMoney): number => presentValue(paymentsOf(money, context, outlook), outlook.discountRate);
	return Math.round(value(reference) - value(option));
}
