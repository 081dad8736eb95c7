import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { ParameterFields } from "./parameter-fields.tsx";
import { initialValues, missingOf, type Parameter, parametersOf } from "./parameter-values.ts";

const parameter = (name: string, type: Parameter["type"], changes: Partial<Parameter> = {}): Parameter => ({
	...{ name, type, default: null, choices: null, description: null },
	...changes,
});

const PARAMETERS = [
	parameter("month", "text", { description: "Month of the data" }),
	parameter("rate", "number", { default: 1, choices: [0.1, 1] }),
	parameter("epochs", "number", { default: 4 }),
	parameter("dry", "boolean", { default: true }),
];

it("starts with the defaults, and needs the values of the others", () => {
	const values = initialValues(PARAMETERS);
	expect(values).toEqual({ month: "", rate: "1", epochs: "4", dry: "true" });
	expect(missingOf(PARAMETERS, values)).toEqual(["month"]);
	expect(missingOf(PARAMETERS, { ...values, month: "2026-10" })).toEqual([]);
});

it("sends each value in its type, and leaves empty ones at their default", () => {
	const values = { month: "2026-10", rate: "0.1", epochs: "", dry: "false" };
	expect(parametersOf(PARAMETERS, values)).toEqual({ month: "2026-10", rate: 0.1, dry: false });
	expect(parametersOf(PARAMETERS, { ...values, epochs: "many" })).toMatchObject({ epochs: "many" });
});

it("draws a control for each type with its label, hint and error", () => {
	const html = renderToStaticMarkup(
		<ParameterFields
			parameters={PARAMETERS}
			values={initialValues(PARAMETERS)}
			errors={{ "spec.parameters.epochs": "must be a number" }}
			onChange={() => undefined}
		/>,
	);
	expect(html.match(/<label[^>]*>/g)).toHaveLength(4);
	expect(html).toContain("month (required)");
	expect(html).toContain("Month of the data");
	expect(html).toMatch(/<select[^>]*>.*<option value="0.1">.*<option value="1" selected="">/);
	expect(html).toMatch(/<input type="checkbox"[^>]*checked=""/);
	expect(html).toMatch(/role="alert"[^>]*>must be a number/);
});
