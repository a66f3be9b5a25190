# As the repository postgres-extensions-containers of CloudNativePG describes an extension.
metadata = {
  name                     = "dpmix"
  sql_name                 = "dpmix"
  image_name               = "dpmix"
  licenses                 = ["PostgreSQL"]
  shared_preload_libraries = ["dpmix"]
  extension_control_path   = []
  dynamic_library_path     = []
  # The server has every library that dpmix needs loaded already: packaging/cloudnativepg.sh checks it.
  ld_library_path          = []
  bin_path                 = []
  auto_update_os_libs      = false
  required_extensions      = []
  create_extension         = true

  versions = {
    SUITE = {
      "MAJOR" = {
        package = "PACKAGE"
        sql     = "VERSION"
      }
    }
  }
}
