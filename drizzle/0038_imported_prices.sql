CREATE TABLE "imported_price" (
	"provider" "provider" NOT NULL,
	"instance_type" text NOT NULL,
	"region" text NOT NULL,
	"capacity_type" "capacity_type" NOT NULL,
	"as_of" date NOT NULL,
	"micro_usd_per_hour" bigint NOT NULL,
	"source" text NOT NULL,
	"imported_by" text NOT NULL,
	"imported_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "imported_price_provider_instance_type_region_capacity_type_pk" PRIMARY KEY("provider","instance_type","region","capacity_type")
);
