CREATE DATABASE assay_gateway;
CREATE DATABASE assay_planner;
CREATE DATABASE assay_executor;
