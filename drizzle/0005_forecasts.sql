CREATE TABLE "wait_forecast" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"job_id" text NOT NULL,
	"attempt_no" integer NOT NULL,
	"horizon" smallint NOT NULL,
	"first" boolean NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"replay_p50_ms" bigint NOT NULL,
	"replay_p90_ms" bigint NOT NULL,
	"told_p50_ms" bigint NOT NULL,
	"told_p90_ms" bigint NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"outcome" text,
	CONSTRAINT "wait_forecast_outcome" CHECK (("wait_forecast"."ended_at" is null) = ("wait_forecast"."outcome" is null)),
	CONSTRAINT "wait_forecast_order" CHECK ("wait_forecast"."replay_p50_ms" <= "wait_forecast"."replay_p90_ms" and "wait_forecast"."told_p50_ms" <= "wait_forecast"."told_p90_ms")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "wait_forecast_once" ON "wait_forecast" USING btree ("job_id","attempt_no","horizon");--> statement-breakpoint
CREATE INDEX "wait_forecast_newest" ON "wait_forecast" USING btree ("horizon","at" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "wait_forecast_open" ON "wait_forecast" USING btree ("job_id") WHERE "wait_forecast"."ended_at" is null;